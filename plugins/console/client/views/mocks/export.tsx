/** Exports of the mock as files. */
import { call } from '../../lib/instance/api.ts'
import { saveFile } from '../../lib/shell/clipboard.ts'
import { useAction } from '../../lib/shell/hooks.ts'
import { Button, CopyButton } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/view.tsx'

const FORMATS = [
  {
    format: 'bundle',
    title: 'Bundle',
    file: 'json',
    about: 'Document, settings, rules and overrides. You can upload it to any instance.',
  },
  {
    format: 'openapi',
    title: 'OpenAPI document',
    file: 'json',
    about: "The document with this mock's URLs as servers, and overrides as examples.",
  },
  { format: 'svc-yaml', title: 'svc.yaml entry', file: 'yaml', about: 'An item for the mocks: list in svc.yaml.' },
] as const

export function ExportTab({ name }: { name: string }) {
  const read = async (format: string) => (await call(`_svc/mocks/${name}/export?format=${format}`)).text()
  const save = useAction(async (format: string, file: string) =>
    saveFile(`svc-mock-${name}.${file}`, file === 'json' ? 'application/json' : 'application/yaml', await read(format)),
  )
  return (
    <Panel title="Export">
      {save.error !== null && <Notice kind="bad">{save.error}</Notice>}
      <ul class="mocks-rules" aria-label="Export">
        {FORMATS.map(({ format, title, file, about }) => (
          <li key={format}>
            <div class="mocks-rule-text">
              <strong>{title}</strong>
              <span class="quiet-text">{about}</span>
            </div>
            <span class="actions">
              <Button
                small
                icon="download"
                onClick={() => void save.run(format, file)}
                aria-label={`Download ${title}`}
              >
                Download
              </Button>
              <CopyButton small text={() => read(format)} aria-label={`Copy ${title}`}>
                Copy
              </CopyButton>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
