/** Collects what svc captured, probes a gateway, and stops svc. */
import { spawnSync } from 'node:child_process'
import { appendFileSync, copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { flagInput, input, installedSvc, words, writeValues } from './runner.mjs'
import { summaryOf } from './summary.mjs'

const STOP_MS = 10_000
const POLL_MS = 50
const MAX_REQUESTS = 1_000_000

/** Returns the exit code. */
export async function report(env) {
  const { SVC_URL: url, SVC_REPORTS: reports, SVC_LOG: log, SVC_PID: pid } = env
  if (!url || !reports || !log || !pid) throw new Error('nothing was started: use the action that starts svc first')
  const [wantsHar, wantsSummary, wantsStop] = ['har', 'summary', 'stop'].map(name => flagInput(env, name))
  const read = (path, as) => readFrom(url + path, env.SVC_ADMIN_TOKEN, as)
  const probe = input(env, 'probe')
  const probed = probe === '' ? undefined : runProbe(env, probe)

  const captured = await collect('requests.json', () => read(`/_svc/requests?limit=${MAX_REQUESTS}`, 'json'))
  if (captured !== undefined) writeFileSync(join(reports, 'requests.json'), `${JSON.stringify(captured, null, 2)}\n`)
  if (wantsHar) {
    const har = await collect('requests.har', () => read('/_svc/requests/export?format=har', 'text'))
    if (har !== undefined) writeFileSync(join(reports, 'requests.har'), har)
  }
  if (wantsStop) await collect('the end of svc', () => stop(Number(pid)))
  await collect('svc.log', () => copyFileSync(log, join(reports, 'svc.log')))
  if (wantsSummary && env.GITHUB_STEP_SUMMARY) {
    const verdict =
      probed === undefined ? undefined : { exitCode: probed, gateway: probe, report: probeReport(reports) }
    appendFileSync(env.GITHUB_STEP_SUMMARY, summaryOf(captured?.requests ?? [], verdict))
  }
  writeValues(env.GITHUB_OUTPUT, {
    reports,
    requests: String(captured?.requests.length ?? ''),
    'probe-exit-code': probed === undefined ? '' : String(probed),
  })
  return probed === undefined || probed === 0 ? 0 : 1
}

/** What can't be collected is a warning. */
async function collect(name, run) {
  try {
    return await run()
  } catch (error) {
    process.stdout.write(`::warning::${name}: ${String(error.cause?.message ?? error.message).replaceAll('\n', ' ')}\n`)
    return undefined
  }
}

async function readFrom(url, token, as) {
  const response = await fetch(url, { headers: token ? { 'X-Svc-Admin-Token': token } : {} })
  if (!response.ok) throw new Error(`svc responded with ${response.status}`)
  return response[as]()
}

/** Returns the exit code of the probe. */
function runProbe(env, gateway) {
  const { main } = installedSvc(join(dirname(env.SVC_REPORTS), 'install'))
  const args = [
    'probe',
    gateway,
    '--upstream',
    env.SVC_URL,
    '--format',
    'json,junit,markdown',
    '--out',
    env.SVC_REPORTS,
  ]
  const failOn = ['--fail-on', input(env, 'fail-on', 'fail')]
  const { status, error } = spawnSync(
    process.execPath,
    [main, ...args, ...failOn, ...words(input(env, 'probe-args'))],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  )
  if (error !== undefined) throw error
  return status ?? 1
}

function probeReport(reports) {
  const file = join(reports, 'report.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

async function stop(pid) {
  const isAlive = () => send(pid, 0)
  if (!send(pid, 'SIGTERM')) return
  const until = Date.now() + STOP_MS
  while (isAlive() && Date.now() < until) await sleep(POLL_MS)
  if (isAlive()) send(pid, 'SIGKILL')
}

/** Whether the process exists. */
function send(pid, signal) {
  try {
    process.kill(pid, signal)
    return true
  } catch (error) {
    if (error.code === 'ESRCH') return false
    throw error
  }
}
