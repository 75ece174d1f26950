/** Resources and templates: reads them, and reads subscribed ones again when they change. */
import { useEffect, useState } from 'preact/hooks'
import { useAction } from '../../lib/shell/hooks.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty, Loading, Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/view.tsx'
import type { McpClient } from './client.ts'
import { CompletedField } from './completed-field.tsx'
import type { Connection } from './connection.ts'
import { ResourceView } from './content.tsx'
import type { Resource, ResourceContents, Template } from './types.ts'

/** An expression of a URI template (RFC 6570, 2.2) with its first variable. */
const EXPRESSION = /\{[+#./;?&]?([^{}*:]+)(?:[*:][^{}]*)?\}/g

function useReading(client: McpClient) {
  const [contents, setContents] = useState<ResourceContents[] | null>(null)
  const action = useAction(async (uri: string) => {
    const result = await client.call<{ contents: ResourceContents[] }>('resources/read', { uri })
    setContents(result.contents)
  })
  return { contents, read: action.run, isRunning: action.isRunning, error: action.error }
}

export function ResourcePage({
  client,
  resource,
  connection,
}: {
  client: McpClient
  resource: Resource
  connection: Connection
}) {
  const { uri, title, name, description, mimeType, size } = resource
  const reading = useReading(client)
  const subscription = useAction(() => connection.toggleSubscription(uri))
  const isSubscribed = connection.subscriptions.has(uri)
  const changes = connection.updates.get(uri) ?? 0
  useEffect(() => void reading.read(uri), [uri, changes])
  return (
    <>
      <Panel
        title={title ?? name}
        class="mcp-item"
        actions={
          changes > 0 && (
            <Badge tone="accent">
              {changes} {changes === 1 ? 'update' : 'updates'}
            </Badge>
          )
        }
      >
        <p class="mono quiet-text">{uri}</p>
        {description && <p>{description}</p>}
        <p class="actions">
          {mimeType && <Badge>{mimeType}</Badge>}
          {size !== undefined && <Badge>{size} B</Badge>}
        </p>
        {subscription.error !== null && <Notice kind="bad">{subscription.error}</Notice>}
        <div class="actions">
          <Button kind="primary" icon="play" busy={reading.isRunning} onClick={() => void reading.read(uri)}>
            Read
          </Button>
          <Button aria-pressed={isSubscribed} busy={subscription.isRunning} onClick={() => void subscription.run()}>
            {isSubscribed ? 'Unsubscribe' : 'Subscribe'}
          </Button>
        </div>
        {isSubscribed && <p class="hint">The resource is read again whenever the server reports a change.</p>}
      </Panel>
      <Contents {...reading} />
    </>
  )
}

export function TemplatePage({
  client,
  template,
  isCompleted,
}: {
  client: McpClient
  template: Template
  isCompleted: boolean
}) {
  const { uriTemplate, title, name, description } = template
  const variables = [...new Set(Array.from(uriTemplate.matchAll(EXPRESSION), match => match[1]!))]
  const [values, setValues] = useState<Record<string, string>>({})
  const reading = useReading(client)
  const uri = uriTemplate.replace(EXPRESSION, (_, variable: string) => encodeURIComponent(values[variable] ?? ''))
  return (
    <>
      <Panel title={title ?? name} class="mcp-item">
        <p class="mono quiet-text">{uriTemplate}</p>
        {description && <p>{description}</p>}
        <form
          class="stack"
          onSubmit={event => {
            event.preventDefault()
            void reading.read(uri)
          }}
        >
          {variables.map(variable => (
            <CompletedField
              key={variable}
              client={client}
              isOffered={isCompleted}
              reference={{ type: 'ref/resource', uri: uriTemplate }}
              name={variable}
              label={variable}
              value={values[variable] ?? ''}
              onValue={value => setValues({ ...values, [variable]: value })}
            />
          ))}
          <p class="hint mono">{uri}</p>
          <div class="actions">
            <Button kind="primary" type="submit" icon="play" busy={reading.isRunning}>
              Read
            </Button>
          </div>
        </form>
      </Panel>
      <Contents {...reading} />
    </>
  )
}

function Contents({
  contents,
  isRunning,
  error,
}: {
  contents: ResourceContents[] | null
  isRunning: boolean
  error: string | null
}) {
  return (
    <Panel title="Result">
      {error !== null && <Notice kind="bad">{error}</Notice>}
      {contents === null && error === null && (isRunning ? <Loading what="Reading" /> : <Empty title="Not read yet" />)}
      {error === null && contents?.map((item, at) => <ResourceView key={`${item.uri} ${at}`} contents={item} />)}
    </Panel>
  )
}
