/** A prompt: its arguments and the resulting messages. */
import { useState } from 'preact/hooks'
import { useAction } from '../../lib/shell/hooks.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty, Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/view.tsx'
import type { McpClient } from './client.ts'
import { CompletedField } from './completed-field.tsx'
import { ContentView } from './content.tsx'
import type { Content, Prompt } from './types.ts'

interface PromptMessage {
  role: string
  content: Content
}

export function PromptPage({
  client,
  prompt,
  isCompleted,
}: {
  client: McpClient
  prompt: Prompt
  isCompleted: boolean
}) {
  const [values, setValues] = useState<Record<string, string>>({})
  const [messages, setMessages] = useState<PromptMessage[] | null>(null)
  const get = useAction(async () => {
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
    const result = await client.call<{ messages: PromptMessage[] }>('prompts/get', {
      name: prompt.name,
      arguments: given,
    })
    setMessages(result.messages)
  })
  return (
    <>
      <Panel title={prompt.title ?? prompt.name} class="mcp-item">
        <p class="mono quiet-text">{prompt.name}</p>
        {prompt.description && <p>{prompt.description}</p>}
        <form
          class="stack"
          onSubmit={event => {
            event.preventDefault()
            void get.run()
          }}
        >
          {prompt.arguments?.map(({ name, title, description, required }) => (
            <CompletedField
              key={name}
              client={client}
              isOffered={isCompleted}
              reference={{ type: 'ref/prompt', name: prompt.name }}
              name={name}
              label={`${title ?? name}${required ? ' *' : ''}`}
              hint={description}
              value={values[name] ?? ''}
              onValue={value => setValues({ ...values, [name]: value })}
            />
          ))}
          <div class="actions">
            <Button kind="primary" type="submit" icon="play" busy={get.isRunning}>
              Get prompt
            </Button>
          </div>
        </form>
      </Panel>
      <Panel title="Result">
        {get.error !== null && <Notice kind="bad">{get.error}</Notice>}
        {messages === null && get.error === null && <Empty title="No result yet" />}
        {get.error === null &&
          messages?.map(({ role, content }, at) => (
            <div key={at} class="stack mcp-message">
              <p>
                <Badge tone={role === 'user' ? 'accent' : 'info'}>{role}</Badge>
              </p>
              <ContentView content={content} at={at} />
            </div>
          ))}
      </Panel>
    </>
  )
}
