/** The summary of a job, as Markdown. */

const SLOWEST = 10

/** `requests` are captured requests; `verdict` is of the probe, if one ran. */
export function summaryOf(requests, verdict) {
  const lines = ['## svc', '', `${requests.length} requests`, '']
  if (requests.length > 0) {
    lines.push(
      ...table(
        ['Status', 'Requests'],
        counted(requests, ({ status }) => `${Math.floor(status / 100)}xx`),
      ),
    )
    const faults = counted(requests, ({ fault }) => fault)
    if (faults.length > 0) lines.push(...table(['Fault', 'Requests'], faults))
    const slowest = [...requests].sort((a, b) => b.latency_ms - a.latency_ms)
    lines.push(
      ...table(
        ['Slowest', 'Status', 'Milliseconds'],
        slowest
          .slice(0, SLOWEST)
          .map(({ method, uri, status, latency_ms: ms }) => [code(`${method} ${uri}`), status, Math.round(ms)]),
      ),
    )
  }
  if (verdict !== undefined) lines.push(...verdictOf(verdict))
  return `${lines.join('\n')}\n`
}

function verdictOf({ exitCode, gateway, report }) {
  const passed =
    exitCode === 0
      ? 'nothing that fails the step'
      : exitCode === 1
        ? 'findings that fail the step'
        : `it could not run (exit code ${exitCode})`
  const counts = Object.entries(report?.summary?.verdicts ?? {}).filter(
    ([, count]) => Number.isInteger(count) && count > 0,
  )
  return [
    `### Probe of ${code(gateway)}`,
    '',
    passed,
    '',
    ...(counts.length === 0 ? [] : table(['Result', 'Checks'], counts)),
  ]
}

/** Numbers by the name that `nameOf` gives, in the order of names; without a name, a request does not count. */
function counted(requests, nameOf) {
  const counts = new Map()
  for (const request of requests) {
    const name = nameOf(request)
    if (name !== null && name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
}

function table(head, rows) {
  const line = cells => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line), '']
}

/** A text as code in a table; it comes from requests. */
function code(text) {
  return `\`${text.slice(0, 200).replace(/[`|\r\n]/g, ' ')}\``
}
