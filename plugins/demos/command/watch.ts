/** `svc demo watch`: both sides of the gateway of a run with `tap`, as they are seen. */
import type { CommandContext, CommandResult } from 'svc/plugin'
import { ArgumentError, isRecord, sleep, splitArguments, visible } from 'svc/toolkit'
import type { HeaderDifference, SeenExchange } from '../http/exchanges.ts'
import { ControlClient, refusalText, UpstreamError } from '../run/control.ts'

const EVERY_MS = 1000
const MAX_SHOWN = 160

export async function watchRun(args: readonly string[], context: CommandContext): Promise<CommandResult> {
  const { words, values, flags } = splitArguments(args, { upstream: 'URL', 'upstream-token': 'token' }, ['once'])
  const [id, ...others] = words
  if (id === undefined || others.length > 0) throw new ArgumentError('expected the id of a run')
  const { environment, out, err } = context
  const client = await context.use('probe.client')
  if (client === undefined) throw new ArgumentError('the plugin probe is off')
  const address = client.address(
    values.get('upstream')?.[0] ?? `http://localhost:${environment.SVC_HTTP_PORT || '8080'}`,
  )
  if (typeof address === 'string') throw new ArgumentError(address)
  const stopping = new AbortController()
  const stop = (): void => stopping.abort()
  process.on('SIGINT', stop).on('SIGTERM', stop)
  try {
    const token = values.get('upstream-token')?.[0] ?? (environment.SVC_ADMIN_TOKEN || null)
    const control = new ControlClient(client, await client.resolve(address), token)
    const shown = new Set<string>()
    for (;;) {
      const { status, body } = await control.ask('GET', `/_svc/demos/runs/${encodeURIComponent(id)}/exchanges`)
      if (status !== 200) {
        err.write(`${refusalText({ status, body })}\n`)
        return { exitCode: 2 }
      }
      const exchanges = isRecord(body) && Array.isArray(body.exchanges) ? (body.exchanges as SeenExchange[]) : []
      for (const exchange of exchanges)
        if (!shown.has(exchange.sent.id)) {
          shown.add(exchange.sent.id)
          out.write(exchangeText(exchange))
        }
      const report = await control.get('GET', `/_svc/demos/runs/${encodeURIComponent(id)}`)
      const isOver = report.state !== 'running' && report.state !== 'waiting'
      if (flags.has('once') || isOver || !(await sleep(EVERY_MS, { signal: stopping.signal }))) break
    }
    return { exitCode: stopping.signal.aborted ? 130 : 0 }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (!(error instanceof UpstreamError) && code === undefined) throw error
    err.write(`${error instanceof UpstreamError ? error.message : `cannot reach the upstream: ${code}`}\n`)
    return { exitCode: 3 }
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
  }
}

/** What the client sent in a line, and below it what arrived, with the differences. */
export function exchangeText({ sent, arrived }: SeenExchange): string {
  const lines = [`${sent.method} ${sent.uri}: ${sent.status}, ${sent.bytes} bytes sent`]
  if (arrived.length === 0) lines.push('  nothing arrived')
  for (const one of arrived) {
    lines.push(`  arrived as ${one.method} ${one.uri}: ${one.status}, body ${one.body}`)
    for (const header of one.headers) lines.push(`    header ${header.name} ${headerText(header)}`)
    const { conversation } = one
    if (conversation === null) continue
    if (conversation.client !== conversation.upstream)
      lines.push(`    format ${conversation.client} became ${conversation.upstream}`)
    if (conversation.differences.length === 0) lines.push('    the conversation is the same')
    for (const { at, kind, sent: before, arrived: after, why } of conversation.differences)
      lines.push(`    ${at} ${changeText(kind, before, after)}${why === undefined ? '' : ` (${why})`}`)
  }
  return lines.map(line => `${visible(line)}\n`).join('')
}

function headerText({ kind, sent, arrived }: HeaderDifference): string {
  return changeText(kind, sent, arrived)
}

function changeText(kind: string, sent: unknown, arrived: unknown): string {
  if (sent === undefined) return `${kind}: ${short(arrived)}`
  return arrived === undefined ? `${kind}: ${short(sent)}` : `${kind}: ${short(sent)} became ${short(arrived)}`
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}
