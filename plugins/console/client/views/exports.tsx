/** Exports of the enabled endpoints as files for other tools: download, copy or show them. */
import { useState } from 'preact/hooks'
import { call, callJson } from '../lib/instance/api.ts'
import { copyText, saveFile } from '../lib/shell/clipboard.ts'
import { useAction, useLoad } from '../lib/shell/hooks.ts'
import { instanceBase } from '../lib/instance/page.ts'
import type { Catalog } from '../lib/shell/places.ts'
import { route, setParams } from '../lib/shell/router.ts'
import { plugins } from '../lib/instance/status.ts'
import { activeGateway, settings } from '../lib/shell/storage.ts'
import { addressProblem, completeAddress } from '../lib/instance/gateway-address.ts'
import { Button } from '../ui/button.tsx'
import { Code } from '../ui/code.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Select, TextField } from '../ui/field.tsx'
import { Loading, Notice } from '../ui/notice.tsx'
import { Panel, ViewHeader } from '../ui/view.tsx'

interface Format {
  id: string
  title: string
  description: string
  path: string
  media_type: string
  filename: string
}

/** Option value for all categories. */
const ALL = ''

export default function Exports() {
  const generation = plugins.value?.generation
  const formats = useLoad(
    async signal => (await callJson<{ formats: Format[] }>('export', { signal })).formats,
    [generation],
  )
  const categories = useLoad(
    async signal => (await callJson<Catalog>('_svc/catalog', { signal })).categories,
    [generation],
  )
  const { params } = route.value
  const baseUrl = params.get('base_url') ?? activeGateway()?.url ?? directUrl()
  const category = params.get('category') ?? ALL
  const problem = addressProblem(baseUrl)
  /** ID of the format that was copied last; its button shows a check mark. */
  const [copied, setCopied] = useState<string | null>(null)
  const [shown, setShown] = useState<{ format: Format; text: string } | null>(null)

  async function fetchFile({ path }: Format): Promise<string> {
    const query = new URLSearchParams({ base_url: completeAddress(baseUrl) })
    if (category !== ALL) query.set('category', category)
    return await (await call(`${path}?${query}`)).text()
  }
  const download = useAction(async (format: Format) =>
    saveFile(format.filename, format.media_type, await fetchFile(format)),
  )
  const copy = useAction(async (format: Format) => {
    if (!(await copyText(await fetchFile(format))))
      throw new Error('The browser blocked access to the clipboard. Download the file, or show it and copy the text.')
    setCopied(format.id)
  })
  const show = useAction(async (format: Format) => setShown({ format, text: await fetchFile(format) }))
  const error = formats.error ?? categories.error ?? download.error ?? copy.error ?? show.error

  return (
    <>
      <ViewHeader
        title="Exports"
        about="All examples of the enabled plugins, as files that other tools can import. WebSockets and live feeds are not included."
      />
      <Panel title="Contents">
        <div class="exports-filter">
          <TextField
            label="Base URL"
            mono
            type="url"
            value={baseUrl}
            error={problem}
            onValue={url => setParams({ base_url: url })}
            hint="Base URL of the requests in the files: the instance itself, or a gateway."
          />
          <Select
            label="Category"
            value={category}
            onValue={value => setParams({ category: value || null })}
            options={[
              { value: ALL, label: 'All categories' },
              ...(categories.value ?? []).map(({ name }) => ({ value: name, label: name })),
            ]}
          />
        </div>
        <div class="actions" role="group" aria-label="Base URL presets">
          <BaseUrlButton name="Direct" url={directUrl()} current={baseUrl} />
          {settings.value.gateways.map(({ name, url }) => (
            <BaseUrlButton key={name} name={name} url={url} current={baseUrl} />
          ))}
        </div>
      </Panel>
      {error !== null && <Notice kind="bad">{error}</Notice>}
      {formats.value === undefined ? (
        formats.isLoading && <Loading />
      ) : (
        <ul class="exports-list" aria-label="Formats">
          {formats.value.map(format => (
            <li key={format.id} class="panel">
              <h2>{format.title}</h2>
              <p class="exports-about">{format.description}</p>
              <p class="mono quiet-text">{format.filename}</p>
              <div class="actions">
                <Button small icon="download" disabled={problem !== null} onClick={() => void download.run(format)}>
                  Download
                  <ButtonSubject title={format.title} />
                </Button>
                <Button
                  small
                  icon={copied === format.id ? 'check' : 'copy'}
                  disabled={problem !== null}
                  onClick={() => void copy.run(format)}
                >
                  Copy
                  <ButtonSubject title={format.title} />
                </Button>
                <Button small kind="quiet" disabled={problem !== null} onClick={() => void show.run(format)}>
                  Show
                  <ButtonSubject title={format.title} />
                </Button>
              </div>
            </li>
          ))}
        </ul>
      )}
      {shown && (
        <Dialog
          wide
          title={shown.format.title}
          onClose={() => setShown(null)}
          actions={
            <Button
              kind="primary"
              icon="download"
              onClick={() => saveFile(shown.format.filename, shown.format.media_type, shown.text)}
            >
              Download
            </Button>
          }
        >
          <Code text={shown.text} label={shown.format.filename} />
        </Dialog>
      )}
    </>
  )
}

function directUrl(): string {
  return instanceBase.replace(/\/$/, '')
}

/** Completes the name of a button for screen readers, which read it without the heading above. */
function ButtonSubject({ title }: { title: string }) {
  return <span class="off-screen"> {title}</span>
}

function BaseUrlButton({ name, url, current }: { name: string; url: string; current: string }) {
  return (
    <Button small aria-pressed={url === current} onClick={() => setParams({ base_url: url })}>
      {name}
    </Button>
  )
}
