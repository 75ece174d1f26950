/** Everything that is enabled, as files of other tools: to download, to copy, to look at. */
import { useState } from 'preact/hooks'
import { call, callJson } from '../lib/instance/api.ts'
import { copyText, saveFile } from '../lib/shell/clipboard.ts'
import { useAction, useLoad } from '../lib/shell/hooks.ts'
import { instanceBase } from '../lib/instance/page.ts'
import type { Catalog } from '../lib/shell/places.ts'
import { route, setParams } from '../lib/shell/router.ts'
import { plugins } from '../lib/instance/status.ts'
import { activeGateway, settings } from '../lib/shell/storage.ts'
import { gatewayProblem } from '../shell/gateway-fields.tsx'
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

/** Stands for "no category" among the options. */
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
  const problem = gatewayProblem({ name: '', url: baseUrl, headers: [] })
  /** Id of the format that was copied last: its button says so. */
  const [copied, setCopied] = useState<string | null>(null)
  const [shown, setShown] = useState<{ format: Format; text: string } | null>(null)

  async function fetchFile({ path }: Format): Promise<string> {
    const query = new URLSearchParams({ base_url: baseUrl.trim() })
    if (category !== ALL) query.set('category', category)
    return await (await call(`${path}?${query}`)).text()
  }
  const download = useAction(async (format: Format) =>
    saveFile(format.filename, format.media_type, await fetchFile(format)),
  )
  const copy = useAction(async (format: Format) => {
    if (!(await copyText(await fetchFile(format))))
      throw new Error('The browser does not let this page copy: download the file, or show it and copy from there.')
    setCopied(format.id)
  })
  const show = useAction(async (format: Format) => setShown({ format, text: await fetchFile(format) }))
  const error = formats.error ?? categories.error ?? download.error ?? copy.error ?? show.error

  return (
    <>
      <ViewHeader
        title="Exports"
        about="Every example of what is enabled, as files that other tools import. WebSockets and live feeds are left out."
      />
      <Panel title="What the files hold">
        <div class="exports-filter">
          <TextField
            label="Base URL"
            mono
            type="url"
            value={baseUrl}
            error={problem}
            onValue={url => setParams({ base_url: url })}
            hint="Where the requests of the files go: straight to the instance, or through a gateway."
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
        <div class="actions" role="group" aria-label="Base URLs to choose from">
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
                  <Of title={format.title} />
                </Button>
                <Button
                  small
                  icon={copied === format.id ? 'check' : 'copy'}
                  disabled={problem !== null}
                  onClick={() => void copy.run(format)}
                >
                  Copy
                  <Of title={format.title} />
                </Button>
                <Button small kind="quiet" disabled={problem !== null} onClick={() => void show.run(format)}>
                  Show
                  <Of title={format.title} />
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

/** What a button is about, for those who hear it without what stands above. */
function Of({ title }: { title: string }) {
  return <span class="off-screen"> {title}</span>
}

function BaseUrlButton({ name, url, current }: { name: string; url: string; current: string }) {
  return (
    <Button small aria-pressed={url === current} onClick={() => setParams({ base_url: url })}>
      {name}
    </Button>
  )
}
