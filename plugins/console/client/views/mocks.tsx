/** OpenAPI mocks: which there are, their documents with checks and deployments, and how each behaves. */
import { useEffect, useState } from 'preact/hooks'
import { callJson } from '../lib/instance/api.ts'
import { useAction, useLoad } from '../lib/shell/hooks.ts'
import { route, setParams } from '../lib/shell/router.ts'
import { Button } from '../ui/button.tsx'
import { Empty, Loading, Notice } from '../ui/notice.tsx'
import { Panel, ViewHeader } from '../ui/view.tsx'
import { MockDetail } from './mocks/detail.tsx'
import { MockListing } from './mocks/listing.tsx'
import type { MockList } from './mocks/types.ts'
import { UploadDialog } from './mocks/upload.tsx'

const REFRESH_MS = 5000

export default function Mocks() {
  const list = useLoad(signal => callJson<MockList>('_svc/mocks', { signal }), [], REFRESH_MS)
  // The text of a dropped file; empty: the dialog begins empty.
  const [upload, setUpload] = useState<{ name: string; text: string } | null>(null)
  const reloadFiles = useAction(async () => {
    await callJson('_svc/mocks/reload', { method: 'POST', admin: true })
    await list.reload()
  })
  useDroppedFile(setUpload)
  const mocks = list.value?.mocks ?? []
  const wanted = route.value.params.get('mock')
  const selected = mocks.find(({ name }) => name === wanted) ?? (wanted === null ? mocks[0] : undefined)

  return (
    <>
      <ViewHeader title="Mocks" about="OpenAPI documents that answer, and behave as you tell them to.">
        <Button icon="replay" busy={reloadFiles.isRunning} onClick={() => void reloadFiles.run()}>
          Read files again
        </Button>
        <Button kind="primary" icon="plus" onClick={() => setUpload({ name: '', text: '' })}>
          Upload
        </Button>
      </ViewHeader>
      {[list.error, reloadFiles.error].map(error => error !== null && <Notice kind="bad">{error}</Notice>)}
      {list.value?.load_errors.map((error, at) => (
        <Notice
          key={at}
          kind="warn"
          title={[error.file, error.at, error.line && `line ${error.line}`].filter(Boolean).join(', ')}
        >
          {error.message}
        </Notice>
      ))}
      {upload !== null && (
        <UploadDialog
          first={upload}
          onClose={() => setUpload(null)}
          onUploaded={name => {
            setUpload(null)
            setParams({ mock: name, tab: null })
            void list.reload()
          }}
        />
      )}
      {list.value === undefined ? (
        list.isLoading && <Loading />
      ) : (
        <div class="mocks-split">
          <MockListing mocks={mocks} selected={selected?.name ?? null} onChange={() => void list.reload()} />
          {selected !== undefined ? (
            <MockDetail
              key={selected.name}
              summary={selected}
              onChange={() => void list.reload()}
              onDeleted={() => {
                setParams({ mock: null, tab: null })
                void list.reload()
              }}
              onCopy={text => setUpload({ name: `${selected.name}-copy`, text })}
            />
          ) : wanted === null ? (
            <Panel title="Mock">
              <Empty title="No mock yet">
                Upload an OpenAPI document, version 3.0 or 3.1, as JSON or YAML; or drop the file anywhere on this page.
              </Empty>
            </Panel>
          ) : (
            <Panel title="Mock">
              <Empty title="There is no such mock">
                It was deleted, or is called otherwise: <code>{wanted}</code>.
              </Empty>
            </Panel>
          )}
        </div>
      )}
    </>
  )
}

/** A file may be dropped anywhere on the page. */
function useDroppedFile(onFile: (file: { name: string; text: string }) => void): void {
  useEffect(() => {
    const ended = new AbortController()
    const hasFile = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
    addEventListener(
      'dragover',
      event => {
        if (hasFile(event)) event.preventDefault()
      },
      { signal: ended.signal },
    )
    addEventListener(
      'drop',
      event => {
        const file = event.dataTransfer?.files[0]
        // The dialog takes what is dropped on it by itself.
        if (file === undefined || event.defaultPrevented) return
        event.preventDefault()
        void file.text().then(text => onFile({ name: file.name.replace(/\.(?:ya?ml|json)$/i, ''), text }))
      },
      { signal: ended.signal },
    )
    return () => ended.abort()
  }, [])
}
