/** Links to the reports of a run. */
import { call } from '../lib/instance/api.ts'
import { instanceBase } from '../lib/instance/page.ts'
import { saveFile } from '../lib/shell/clipboard.ts'
import { useAction } from '../lib/shell/hooks.ts'

export interface ReportFormat {
  title: string
  /** Below the run. */
  path: string
  type: string
  file: string
}

/** `run`: its path, such as `_svc/probe/runs/1`. A link cannot send the token of the control plane, so the page loads the file. */
export function ReportLinks({ run, formats }: { run: string; formats: readonly ReportFormat[] }) {
  const save = useAction(async ({ path, type, file }: ReportFormat) => {
    const response = await call(`${run}${path}`)
    saveFile(file, type, await response.text())
  })
  return (
    <>
      {save.error !== null && <span class="bad-text">{save.error}</span>}
      {formats.map(format => (
        <a
          key={format.title}
          class="button small"
          href={`${instanceBase}${run}${format.path}`}
          onClick={event => {
            event.preventDefault()
            void save.run(format)
          }}
        >
          {format.title}
        </a>
      ))}
    </>
  )
}
