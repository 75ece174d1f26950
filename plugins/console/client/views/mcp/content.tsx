/** Shows content blocks: text, images, audio and resources; always as text or `blob:` URLs, never as markup. */
import { parseJson } from '../../lib/protocol/http.ts'
import { Badge } from '../../ui/badge.tsx'
import { Code } from '../../ui/code.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import { Media } from '../../ui/media.tsx'
import type { Content, ResourceContents } from './types.ts'

export function ContentView({ content, at }: { content: Content; at: number }) {
  const { type, text, data, mimeType = '', resource, uri, name } = content
  const label = `Content ${at + 1}`
  if (type === 'text') return <Code label={label} text={text ?? ''} wrap />
  if ((type === 'image' || type === 'audio') && data !== undefined)
    return <Media base64={data} type={mimeType} name={label} />
  if (type === 'resource' && resource) return <ResourceView contents={resource} />
  if (type === 'resource_link')
    return (
      <p>
        <Badge tone="info">resource</Badge> <code>{uri}</code>{' '}
        <span class="quiet-text">
          {name} {mimeType}
        </span>
      </p>
    )
  return <JsonTree value={content} />
}

export function ResourceView({ contents: { uri, mimeType = '', text, blob } }: { contents: ResourceContents }) {
  const json = text !== undefined && /json/.test(mimeType) ? parseJson(text) : undefined
  return (
    <div class="stack mcp-resource">
      <p>
        <code>{uri}</code> {mimeType && <Badge>{mimeType}</Badge>}
      </p>
      {blob !== undefined && <Media base64={blob} type={mimeType} name={uri} />}
      {json !== undefined && <JsonTree value={json} depth={3} />}
      {text !== undefined && json === undefined && <Code label={uri} text={text} wrap />}
    </div>
  )
}
