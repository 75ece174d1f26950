/** API mocks: the list, and the document, behavior, traffic and versions of each. */
import { useEffect, useState } from 'preact/hooks'
import { callJson } from '../lib/instance/api.ts'
import { instanceBase } from '../lib/instance/page.ts'
import { useAction, useLoad } from '../lib/shell/hooks.ts'
import { route, setParams } from '../lib/shell/router.ts'
import { Button } from '../ui/button.tsx'
import { TryCommand } from '../ui/code.tsx'
import { Empty, Loading, Notice } from '../ui/notice.tsx'
import { Panel, ViewHeader } from '../ui/view.tsx'
import { MockDetail } from './mocks/detail.tsx'
import { MockListing } from './mocks/listing.tsx'
import type { MockList } from './mocks/types.ts'
import { UploadDialog } from './mocks/upload.tsx'

const REFRESH_MS = 5000

export default function Mocks() {
  const list = useLoad(signal => callJson<MockList>('_svc/mocks', { signal }), [], REFRESH_MS)
  // Initial name and text of the upload dialog, such as those of a dropped file; null: the dialog is closed.
  const [upload, setUpload] = useState<{ name: string; text: string } | null>(null)
  const reloadFiles = useAction(async () => {
    await callJson('_svc/mocks/reload', { method: 'POST', admin: true })
    await list.reload()
  })
  useDroppedFile(setUpload)
  const mocks = list.value?.mocks ?? []
  const wanted = route.value.params.get('mock')
  const selected = mocks.find(({ name }) => name === wanted) ?? (wanted === null ? mocks[0] : undefined)

  const isEmpty = list.value?.mocks.length === 0 && wanted === null
  const uploadButton = (
    <Button kind="primary" icon="plus" onClick={() => setUpload({ name: '', text: '' })}>
      Upload
    </Button>
  )

  return (
    <>
      <ViewHeader title="Mocks" about="Mock APIs from OpenAPI documents, with behavior that you control.">
        <Button icon="replay" busy={reloadFiles.isRunning} onClick={() => void reloadFiles.run()}>
          Reload files
        </Button>
        {!isEmpty && uploadButton}
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
      ) : isEmpty ? (
        <Panel title="Mock" hideTitle>
          <Empty title="No mocks yet">
            <p>
              Upload an OpenAPI 3.0 or 3.1 document as JSON or YAML, or drop the file anywhere on this page. The
              instance then answers its operations, with examples or generated data, and checks the requests.
            </p>
            {uploadButton}
            <p>Or upload it from a shell:</p>
            <TryCommand
              command={`curl -X PUT --data-binary @openapi.yaml -H 'Content-Type: application/yaml' ${instanceBase}_svc/mocks/shop`}
            />
          </Empty>
        </Panel>
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
          ) : (
            <Panel title="Mock">
              <Empty title="Mock not found">
                There is no mock with the name <code>{wanted}</code>. It may have been deleted.
              </Empty>
            </Panel>
          )}
        </div>
      )}
    </>
  )
}

/** Accepts a file that is dropped anywhere on the page. */
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
        // The dialog handles files that are dropped on it.
        if (file === undefined || event.defaultPrevented) return
        event.preventDefault()
        void file.text().then(text => onFile({ name: file.name.replace(/\.(?:ya?ml|json)$/i, ''), text }))
      },
      { signal: ended.signal },
    )
    return () => ended.abort()
  }, [])
}
