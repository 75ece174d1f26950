/** Dialogs for requests of the server to the user: a form (elicitation), a model response (sampling), the roots. */
import { useState } from 'preact/hooks'
import { emptyValue, type FormSchema } from '../../lib/protocol/schema-form.ts'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextArea, TextField } from '../../ui/field.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import type { PendingQuestion } from './connection.ts'
import type { Content } from './types.ts'

export function QuestionDialog({ question }: { question: PendingQuestion }) {
  switch (question.method) {
    case 'elicitation/create':
      return <Elicitation question={question} />
    case 'sampling/createMessage':
      return <Sampling question={question} />
    case 'roots/list':
      return <Roots question={question} />
    default:
      return (
        <Dialog
          title="The server requests input"
          onClose={question.dismiss}
          actions={<Button onClick={question.dismiss}>Reject</Button>}
        >
          <p>
            The inspector does not support <code>{question.method}</code>.
          </p>
          <JsonTree value={question.params} />
        </Dialog>
      )
  }
}

function Elicitation({ question }: { question: PendingQuestion }) {
  const { message, requestedSchema } = question.params as { message?: string; requestedSchema?: FormSchema }
  const schema = requestedSchema ?? { type: 'object', properties: {} }
  const [content, setContent] = useState<unknown>(() => emptyValue(schema) ?? {})
  return (
    <Dialog title="The server requests input" onClose={() => question.respond({ action: 'cancel' })}>
      <form
        class="stack"
        onSubmit={event => {
          event.preventDefault()
          question.respond({ action: 'accept', content })
        }}
      >
        <p>{message}</p>
        <SchemaForm schema={schema} value={content} onValue={setContent} label="Response" />
        <div class="dialog-actions">
          <Button kind="primary" type="submit">
            Accept
          </Button>
          <Button onClick={() => question.respond({ action: 'decline' })}>Decline</Button>
          <span class="spacer" />
          <Button kind="quiet" onClick={() => question.respond({ action: 'cancel' })}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function Sampling({ question }: { question: PendingQuestion }) {
  const {
    messages = [],
    systemPrompt,
    maxTokens,
  } = question.params as {
    messages?: { role: string; content: Content | Content[] }[]
    systemPrompt?: string
    maxTokens?: number
  }
  const [text, setText] = useState('')
  const [model, setModel] = useState('a-person-at-the-console')
  return (
    <Dialog title="The server requests a model response" onClose={question.dismiss}>
      <form
        class="stack"
        onSubmit={event => {
          event.preventDefault()
          question.respond({ role: 'assistant', content: { type: 'text', text }, model, stopReason: 'endTurn' })
        }}
      >
        <p class="quiet-text">Respond as the model{maxTokens !== undefined && ` with at most ${maxTokens} tokens`}.</p>
        {systemPrompt && <Code label="System prompt" text={systemPrompt} wrap />}
        {messages.map(({ role, content }, at) => (
          <Code
            key={at}
            label={`Message (${role})`}
            text={[content]
              .flat()
              .map(block => block.text ?? `[${block.type}]`)
              .join('\n')}
            wrap
          />
        ))}
        <TextArea label="Response" rows={4} value={text} onValue={setText} />
        <TextField mono label="Model" value={model} onValue={setModel} />
        <div class="dialog-actions">
          <Button kind="primary" type="submit">
            Send response
          </Button>
          <span class="spacer" />
          <Button kind="quiet" onClick={question.dismiss}>
            Reject
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function Roots({ question }: { question: PendingQuestion }) {
  const [text, setText] = useState('file:///demo')
  return (
    <Dialog title="The server requests the roots" onClose={question.dismiss}>
      <form
        class="stack"
        onSubmit={event => {
          event.preventDefault()
          question.respond({
            roots: text
              .split('\n')
              .map(line => line.trim())
              .filter(Boolean)
              .map(uri => ({ uri })),
          })
        }}
      >
        <TextArea mono label="Roots" hint="One URI per line." value={text} onValue={setText} />
        <div class="dialog-actions">
          <Button kind="primary" type="submit">
            Send response
          </Button>
          <span class="spacer" />
          <Button kind="quiet" onClick={question.dismiss}>
            Reject
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
