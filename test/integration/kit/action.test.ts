/** The GitHub Action: its script starts svc in an empty folder, collects reports and stops svc, as a runner would have it do. */
import t, { type Test } from 'tap'
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { startBreaker } from '../../support/breaker-gateway.ts'
import { builtPackage } from '../../support/built-package.ts'
import { ROOT } from '../../support/installed.ts'
import { PUBLISHED_NAME } from '../../../packing/published.ts'

// Each step starts processes, which is slow on a busy machine.
t.setTimeout(600_000)

/** The package without its two dependencies, which would come from a registry and are not needed to start. */
async function packageFolder(t: Test): Promise<string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-action-package-')))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(await builtPackage(t), folder, { recursive: true })
  const file = join(folder, 'package.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
  writeFileSync(file, JSON.stringify({ ...manifest, dependencies: {} }))
  return folder
}

interface Step {
  code: number
  output: string
  outputs: Record<string, string>
  variables: Record<string, string>
  summary: string
}

/** A job on a runner: later steps have the variables that earlier ones set. */
class Job {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-job-')))
  variables: Record<string, string> = {}
  #steps = 0

  constructor(t: Test) {
    mkdirSync(join(this.folder, 'workspace'))
    t.teardown(() => {
      if (this.variables.SVC_PID !== undefined && isRunning(this.variables.SVC_PID))
        process.kill(Number(this.variables.SVC_PID), 'SIGKILL')
      rmSync(this.folder, { recursive: true, force: true })
    })
  }

  async run(command: string, inputs: Record<string, string>): Promise<Step> {
    const [output, env, summary] = ['output', 'env', 'summary'].map(name =>
      join(this.folder, `${name}-${this.#steps++}`),
    ) as [string, string, string]
    for (const file of [output, env, summary]) writeFileSync(file, '')
    const child = spawn(process.execPath, [join(ROOT, 'action', 'action.mjs'), command], {
      cwd: join(this.folder, 'workspace'),
      env: {
        PATH: process.env.PATH,
        HOME: this.folder,
        npm_config_offline: 'true',
        npm_config_update_notifier: 'false',
        RUNNER_TEMP: this.folder,
        GITHUB_OUTPUT: output,
        GITHUB_ENV: env,
        GITHUB_STEP_SUMMARY: summary,
        ...this.variables,
        ...Object.fromEntries(Object.entries(inputs).map(([name, value]) => [`INPUT_${name}`, value])),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (text += chunk))
    const code = await new Promise<number>(resolve => child.on('close', resolve))
    const variables = valuesIn(env)
    this.variables = { ...this.variables, ...variables }
    return { code, output: text, outputs: valuesIn(output), variables, summary: readFileSync(summary, 'utf8') }
  }
}

/** Values as a runner reads them: `name<<delimiter`, lines, delimiter. */
function valuesIn(file: string): Record<string, string> {
  const found = readFileSync(file, 'utf8').matchAll(/^([\w-]+)<<(\S+)\n([^]*?)\n\2$/gm)
  return Object.fromEntries([...found].map(([, name, , value]) => [name!, value!]))
}

function isRunning(pid: string): boolean {
  try {
    process.kill(Number(pid), 0)
    return true
  } catch {
    return false
  }
}

const PORTS = { PORT: '0', HTTPS_PORT: '0', GRPC_PORT: '0' }
const folder = await packageFolder(t)

t.test('it starts svc for later steps, reports what came, and stops it [ACTION-1, ACTION-2]', async t => {
  const job = new Job(t)
  writeFileSync(join(job.folder, 'workspace', 'my.yaml'), 'plugins: { disable: [soap] }\n')
  const started = await job.run('start', {
    ...PORTS,
    PACKAGE: folder,
    CONFIG: 'my.yaml',
    ENV: 'SVC_INSTANCE_ID=job-1\n\nSVC_ADMIN_TOKEN=a=b\n',
  })
  t.equal(started.code, 0, started.output)
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  const { url, reports, log, pid } = started.outputs as { url: string; reports: string; log: string; pid: string }
  t.match(started.outputs, {
    url: /^http:\/\/127\.0\.0\.1:\d+$/,
    'https-url': /^https:\/\/127\.0\.0\.1:\d+$/,
    'grpc-address': /^127\.0\.0\.1:\d+$/,
    'console-url': `${url}/ui/`,
    version,
  })
  t.match(started.variables, { SVC_URL: url, SVC_REPORTS: reports, SVC_LOG: log, SVC_PID: pid, SVC_VERSION: version })
  t.match(started.output, '::add-mask::a=b')
  t.ok(isRunning(pid), 'it outlives the step')
  t.equal((await fetch(`${url}/soap?wsdl`)).status, 404, 'the configuration is used')
  t.match(await (await fetch(`${url}/identity`)).json(), { instance_id: 'job-1' })
  await fetch(`${url}/status/503`)
  await fetch(`${url}/echo?a|b`, { headers: { 'x-svc-fail': '500' } })

  const reported = await job.run('report', {})
  t.equal(reported.code, 0, reported.output)
  t.match(reported.outputs, { reports, requests: '4', 'probe-exit-code': '' })
  t.notOk(isRunning(pid), 'it is stopped')
  const { requests } = JSON.parse(readFileSync(join(reports, 'requests.json'), 'utf8')) as { requests: object[] }
  t.equal(requests.length, 4)
  const har = JSON.parse(readFileSync(join(reports, 'requests.har'), 'utf8')) as { log: { entries: object[] } }
  t.equal(har.log.entries.length, 4)
  t.match(readFileSync(join(reports, 'svc.log'), 'utf8'), /HTTP listening/)
  t.match(reported.summary, /## svc\n\n4 requests\n/)
  t.match(reported.summary, /\| 2xx \| 1 \|\n\| 4xx \| 1 \|\n\| 5xx \| 2 \|/)
  t.match(reported.summary, /\| Fault \| Requests \|/)
  t.match(reported.summary, '| `GET /echo?a b` | 500 |', 'a target breaks no table')
})

t.test('findings of the probe fail the report, and svc is stopped still [ACTION-3]', async t => {
  const job = new Job(t)
  t.equal((await job.run('start', { ...PORTS, PACKAGE: folder })).code, 0)
  const gateway = await startBreaker(t, job.variables.SVC_URL!, { failures: 1000, openMs: 1 })
  const kept = await job.run('report', {
    PROBE: job.variables.SVC_URL!,
    PROBE_ARGS: '--checks HDR-UNKNOWN --quiet',
    STOP: 'false',
    HAR: 'false',
    SUMMARY: 'false',
  })
  t.match(kept, { code: 0, outputs: { 'probe-exit-code': '0' }, summary: '' }, kept.output)
  t.notOk(existsSync(join(job.variables.SVC_REPORTS!, 'requests.har')))
  t.ok(isRunning(job.variables.SVC_PID!))

  const failed = await job.run('report', { PROBE: gateway, PROBE_ARGS: '--checks HDR-* --quiet --repeat 1' })
  t.match(failed, { code: 1, outputs: { 'probe-exit-code': '1' } }, failed.output)
  for (const file of ['report.json', 'report.xml', 'report.md'])
    t.ok(existsSync(join(job.variables.SVC_REPORTS!, file)), file)
  t.match(failed.summary, /### Probe of `http.*`\n\nfindings that fail the step/)
  t.match(failed.summary, /\| fail \| \d+ \|/)
  t.notOk(isRunning(job.variables.SVC_PID!))

  const late = await job.run('report', {})
  t.equal(late.code, 0, 'what cannot be collected is a warning')
  t.match(late.output, /::warning::requests\.json: /)
})

t.test('wrong inputs, and an svc that does not start, are named [ACTION-4]', async t => {
  const wrong: [inputs: Record<string, string>, message: RegExp][] = [
    [{ ENV: 'FOO' }, /::error::env, line 1: expected NAME=value, got "FOO"/],
    [{ ENV: 'A=1\n\nB' }, /env, line 3/],
    [{ PORT: '70000' }, /port: "70000" is not a number from 0 to 65535/],
    [{ WAIT: 'long' }, /wait: "long"/],
    [{ PACKAGE: join(folder, 'none') }, /npm install .* ended with exit code/],
    [{ ...PORTS, PACKAGE: folder, ARGS: 'chekc' }, /did you mean check[^]*::error::svc ended with exit code 2/],
    [{ ...PORTS, PACKAGE: folder, WAIT: '0' }, /::error::svc was not ready within 0 s/],
  ]
  for (const [inputs, message] of wrong) {
    const { code, output, outputs } = await new Job(t).run('start', inputs)
    t.equal(code, 1, JSON.stringify(inputs))
    t.match(output, message)
    t.strictSame(outputs, {})
  }
  t.match(await new Job(t).run('report', {}), { code: 1, output: /::error::nothing was started/ })
})

t.test('the definitions pass each input as a variable, and no input is part of a script [ACTION-5]', async t => {
  interface Definition {
    inputs: Record<string, { description: string; default: string }>
    outputs: Record<string, { value: string }>
    runs: { using: string; steps: { id?: string; run?: string; uses?: string; env?: Record<string, string> }[] }
  }
  for (const [file, script] of [
    ['action.yml', 'action/action.mjs" start'],
    ['action/report/action.yml', '../action.mjs" report'],
  ] as const) {
    const { inputs, outputs, runs } = parse(readFileSync(join(ROOT, file), 'utf8')) as Definition
    t.equal(runs.using, 'composite')
    const [step, ...others] = runs.steps
    t.equal(step!.run, `node "$GITHUB_ACTION_PATH/${script}`)
    const passed = Object.keys(inputs).filter(name => name !== 'artifact')
    t.strictSame(
      step!.env,
      Object.fromEntries(
        passed.map(name => [`INPUT_${name.toUpperCase().replaceAll('-', '_')}`, `\${{ inputs.${name} }}`]),
      ),
    )
    for (const [name, { value }] of Object.entries(outputs)) t.equal(value, `\${{ steps.${step!.id}.outputs.${name} }}`)
    for (const { uses } of others) t.match(uses, /@[0-9a-f]{40}$/, 'pinned by commit')
  }
  t.ok(readFileSync(join(ROOT, 'action', 'start.mjs'), 'utf8').includes(`'${PUBLISHED_NAME}'`))
})
