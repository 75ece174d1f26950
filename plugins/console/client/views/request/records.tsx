/** Records of the request from the mock LLM and the mocks; loaded when opened. */
import { useState } from 'preact/hooks'
import { callJson } from '../../lib/instance/api.ts'
import { useLoad } from '../../lib/shell/hooks.ts'
import type { Entry } from '../../lib/protocol/http.ts'
import { JsonTree } from '../../ui/json-tree.tsx'
import { Loading, Notice } from '../../ui/notice.tsx'

export function Records({ entry }: { entry: Entry }) {
  const mock = /^\/mock\/([^/]+)/.exec(entry.path)?.[1]
  const isAi = /^\/ai\/(?!requests(?:\/|$))[^/]/.test(entry.path)
  return (
    <>
      {isAi && <Record title="AI record" path={`ai/requests/${encodeURIComponent(entry.request_id)}`} entry={entry} />}
      {mock !== undefined && (
        <Record
          title="Mock record"
          path={`_svc/mocks/${mock}/requests/${encodeURIComponent(entry.request_id)}`}
          entry={entry}
        />
      )}
    </>
  )
}

function Record({ title, path, entry }: { title: string; path: string; entry: Entry }) {
  const [isOpen, setOpen] = useState(false)
  const query = entry.session === null ? '' : `?session=${encodeURIComponent(entry.session)}`
  const { value, error } = useLoad(
    async signal => (isOpen ? await callJson<unknown>(path + query, { signal }) : null),
    [isOpen, path],
  )
  return (
    <details class="request-section request-record" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {error ? (
        <Notice>{error}</Notice>
      ) : value === undefined || value === null ? (
        <Loading />
      ) : (
        <JsonTree value={value} depth={2} />
      )}
    </details>
  )
}
