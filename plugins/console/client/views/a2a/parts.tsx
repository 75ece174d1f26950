/** Parts of messages and artifacts: text, data, files; always text or `blob:` URLs, never markup or links. */
import { bytesOfBase64 } from '../../lib/tokens/jwt.ts'
import { saveFile } from '../../lib/shell/clipboard.ts'
import { formatBytes } from '../../lib/protocol/http.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, CopyButton } from '../../ui/button.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import { Media } from '../../ui/media.tsx'
import type { Part } from './types.ts'

export function Parts({ parts }: { parts: readonly Part[] }) {
  return (
    <>
      {parts.map((part, at) => (
        <PartView key={at} part={part} />
      ))}
    </>
  )
}

function PartView({ part: { text, data, raw, url, filename, mediaType = '' } }: { part: Part }) {
  const label = filename ?? mediaType
  if (text !== undefined) return <p class="a2a-text">{text}</p>
  if (data !== undefined) return <JsonTree value={data} depth={2} />
  if (raw !== undefined) return <File raw={raw} name={label || 'file'} type={mediaType} />
  if (url !== undefined)
    return (
      <p class="a2a-file">
        <Badge>{mediaType || 'URL'}</Badge> <span>{filename}</span> <code>{url}</code>{' '}
        <CopyButton small iconOnly kind="quiet" text={url}>{`Copy the URL of ${label || 'the file'}`}</CopyButton>
      </p>
    )
  return <p class="quiet-text">Empty part.</p>
}

function File({ raw, name, type }: { raw: string; name: string; type: string }) {
  const bytes = decoded(raw)
  if (bytes === null) return <p class="bad-text">{name} is not valid Base64.</p>
  return (
    <div class="a2a-file">
      <Badge>{type || 'bytes'}</Badge>{' '}
      <span>
        {name}, {formatBytes(bytes.length)}
      </span>
      <Button
        small
        icon="download"
        onClick={() => saveFile(name, type || 'application/octet-stream', bytes)}
      >{`Save ${name}`}</Button>
      {type.startsWith('image/') && <Media base64={raw} type={type} name={name} />}
      {type.startsWith('text/') && <p class="a2a-text mono">{new TextDecoder().decode(bytes).slice(0, 4000)}</p>}
    </div>
  )
}

function decoded(raw: string): Uint8Array<ArrayBuffer> | null {
  try {
    return bytesOfBase64(raw)
  } catch {
    return null
  }
}
