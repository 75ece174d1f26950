/** Dialogs for requests of the server to the user: a form (elicitation), a model response (sampling), the roots. */
import { useState } from 'preact/hooks'
import { emptyValue, type FormSchema } from '../../lib/protocol/schema-form.ts'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextArea, TextField } from '../../ui/field.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import type { PendingServerRequest } from './connection.ts'
import type { Content } from './types.ts'

export function ServerRequestDialog({ serverRequest }: { serverRequest: PendingServerRequest }) {
  switch (serverRequest.method) {
    case 'elicitation/create':
      return <Elicitation serverRequest={serverRequest} />
    case 'sampling/createMessage':
      return <Sampling serverRequest={serverRequest} />
    case 'roots/list':
      return <Roots serverRequest={serverRequest} />
    default:
      return (
        <Dialog
          title="The server requests input"
          onClose={serverRequest.dismiss}
          actions={<Button onClick={serverRequest.dismiss}>Reject</Button>}
        >
          <p>
            The inspector does not support <code>{serverRequest.method}</code>.
          </p>
          <JsonTree value={serverRequest.params} />
        </Dialog>
      )
  }
}

function Elicitation({ serverRequest }: { serverRequest: PendingServerRequest }) {
  const { message, requestedSchema } = serverRequest.params as { message?: string; requestedSchema?: FormSchema }
  const schema = requestedSchema ?? { type: 'object', properties: {} }
  const [content, setContent] = useState<unknown>(() => emptyValue(schema) ?? {})
  return (
    <Dialog title="The server requests input" onClose={() => serverRequest.respond({ action: 'cancel' })}>
      <form
        class="stack"
        onSubmit={event => {
          event.preventDefault()
          serverRequest.respond({ action: 'accept', content })
        }}
      >
        <p>{message}</p>
        <SchemaForm schema={schema} value={content} onValue={setContent} label="Response" />
        <div class="dialog-actions">
          <Button kind="primary" type="submit">
            Accept
          </Button>
          <Button onClick={() => serverRequest.respond({ action: 'decline' })}>Decline</Button>
          <span class="spacer" />
          <Button kind="quiet" onClick={() => serverRequest.respond({ action: 'cancel' })}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function Sampling({ serverRequest }: { serverRequest: PendingServerRequest }) {
  const {
    messages = [],
    systemPrompt,
    maxTokens,
  } = serverRequest.params as {
    messages?: { role: string; content: Content | Content[] }[]
    systemPrompt?: string
    maxTokens?: number
  }
  const [text, setText] = useState('')
  const [model, setModel] = useState('a-person-at-the-console')
  return (
    <Dialog title="The server requests a model response" onClose={serverRequest.dismiss}>
      <form
        class="stack"
        onSubmit={event => {
          event.preventDefault()
          serverRequest.respond({ role: 'assistant', content: { type: 'text', text }, model, stopReason: 'endTurn' })
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
          <Button kind="quiet" onClick={serverRequest.dismiss}>
            Reject
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function Roots({ serverRequest }: { serverRequest: PendingServerRequest }) {
  const [text, setText] = useState('file:///demo')
  return (
    <Dialog title="The server requests the roots" onClose={serverRequest.dismiss}>
      <form
        class="stack"
        onSubmit={event => {
          event.preventDefault()
          serverRequest.respond({
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
          <Button kind="quiet" onClick={serverRequest.dismiss}>
            Reject
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
