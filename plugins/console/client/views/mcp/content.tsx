/** Content blocks as people see them: text, pictures, sound, resources; always text or `blob:`, never markup. */
import { useEffect, useState } from 'preact/hooks'
import { parseJson } from '../../lib/http.ts'
import { bytesOfBase64 } from '../../lib/jwt.ts'
import { Badge } from '../../ui/badge.tsx'
import { Code } from '../../ui/code.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import type { Content, ResourceContents } from './types.ts'

export function ContentView({ content, at }: { content: Content; at: number }) {
  const { type, text, data, mimeType = '', resource, uri, name } = content
  const label = `Content ${at + 1}`
  if (type === 'text') return <Code label={label} text={text ?? ''} wrap />
  if (type === 'image' && data !== undefined) return <Media kind="image" base64={data} type={mimeType} name={label} />
  if (type === 'audio' && data !== undefined) return <Media kind="audio" base64={data} type={mimeType} name={label} />
  if (type === 'resource' && resource) return <ResourceView contents={resource} />
  if (type === 'resource_link') return <p><Badge tone="info">resource</Badge> <code>{uri}</code> <span class="quiet-text">{name} {mimeType}</span></p>
  return <JsonTree value={content} />
}

export function ResourceView({ contents: { uri, mimeType = '', text, blob } }: { contents: ResourceContents }) {
  const json = text !== undefined && /json/.test(mimeType) ? parseJson(text) : undefined
  return (
    <div class="stack mcp-resource">
      <p><code>{uri}</code> {mimeType && <Badge>{mimeType}</Badge>}</p>
      {blob !== undefined && <Media kind={mimeType.startsWith('audio/') ? 'audio' : 'image'} base64={blob} type={mimeType} name={uri} />}
      {json !== undefined && <JsonTree value={json} depth={3} />}
      {text !== undefined && json === undefined && <Code label={uri} text={text} wrap />}
    </div>
  )
}

const SHOWN_TYPES = /^(?:image\/(?:png|jpeg|gif|webp|avif|svg\+xml)|audio\/[\w.+-]+)$/

/** The page's policy lets pictures be `blob:`; sound it does not, so that is offered as a file. */
function Media({ kind, base64, type, name }: { kind: 'image' | 'audio'; base64: string; type: string; name: string }) {
  const [url, setUrl] = useState<string | null>(null)
  const [error, setError] = useState(false)
  useEffect(() => {
    if (!SHOWN_TYPES.test(type)) return
    let made: string | null = null
    try {
      made = URL.createObjectURL(new Blob([bytesOfBase64(base64)], { type }))
      setUrl(made)
    } catch {
      setError(true)
    }
    return () => { if (made !== null) URL.revokeObjectURL(made) }
  }, [base64, type])
  if (error) return <p class="bad-text">{name} is no Base64.</p>
  if (url === null) return <p class="quiet-text">{base64.length} characters of {type || 'unknown type'}.</p>
  return kind === 'image' ? <img class="mcp-picture" src={url} alt={`${name}, ${type}`} /> : <a class="button small" href={url} download="sound">Save {type}</a>
}
