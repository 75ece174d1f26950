/** The body of a captured request as a tree, a form, an image, text or bytes, and the changes by the gateway. */
import { useEffect, useState } from 'preact/hooks'
import {
  bodyBytes,
  formatBytes,
  hexDump,
  isJsonType,
  mediaTypeOf,
  parseJson,
  type Body,
} from '../../lib/protocol/http.ts'
import { Code } from '../../ui/code.tsx'
import { HeaderList } from '../../ui/header-list.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import { Tabs, type Tab } from '../../ui/tabs.tsx'
import { TextDiff } from './text-diff.tsx'

export function BodyView({
  entry,
  before,
  title = 'Body',
}: {
  entry: Body
  before: Uint8Array | null
  title?: string
}) {
  if (entry.body_size === 0 && before === null) return null
  return (
    <section class="request-section">
      <h3>
        {title}{' '}
        <span class="quiet-text">
          {formatBytes(entry.body_size)}
          {mediaTypeOf(entry.headers) && `, ${mediaTypeOf(entry.headers)}`}
          {entry.body_truncated && `, first ${formatBytes(bodyBytes(entry).length)} stored`}
        </span>
      </h3>
      <Tabs
        label={`${title} formats`}
        tabs={[...(before === null ? [] : [changed(before, entry)]), ...tabsOf(entry)]}
      />
    </section>
  )
}

function changed(before: Uint8Array, entry: Body): Tab {
  return {
    key: 'changes',
    title: 'Changes',
    content: () => <TextDiff before={textOf(before)} after={textOf(bodyBytes(entry))} />,
  }
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

function tabsOf(entry: Body): Tab[] {
  const type = mediaTypeOf(entry.headers)
  const { body } = entry
  const tabs: Tab[] = []
  const json = body === null ? undefined : parseJson(body)
  if (json !== undefined && (isJsonType(type) || typeof json === 'object'))
    tabs.push({ key: 'json', title: 'JSON', content: () => <JsonTree value={json} depth={3} /> })
  if (body !== null && type === 'application/x-www-form-urlencoded')
    tabs.push({
      key: 'form',
      title: 'Form',
      content: () => (
        <HeaderList
          label="Form fields"
          headers={[...new URLSearchParams(body)].map(([name, value]) => ({ name, value }))}
        />
      ),
    })
  if (PICTURES.has(type))
    tabs.push({ key: 'picture', title: 'Image', content: () => <Picture bytes={bodyBytes(entry)} type={type} /> })
  if (body !== null) tabs.push({ key: 'raw', title: 'Raw', content: () => <Code label="Body" text={body} wrap /> })
  tabs.push({
    key: 'hex',
    title: 'Hex',
    content: () => <Code label="Body bytes" text={hexDump(bodyBytes(entry))} />,
  })
  return tabs
}

/** Shown in an `<img>`, which does not run scripts of an SVG. */
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/svg+xml', 'image/avif'])

function Picture({ bytes, type }: { bytes: Uint8Array<ArrayBuffer>; type: string }) {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes, type])
  return url === null ? null : <img class="request-picture" src={url} alt="The body as an image" />
}
