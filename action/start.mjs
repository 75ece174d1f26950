/** Installs svc and starts it, for the steps that follow. */
import { spawn, spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { input, installedSvc, numberInput, words, writeValues } from './runner.mjs'

/** The name of the package; `PUBLISHED_NAME` of the checkout. */
const PACKAGE = '@svc-upstream/svc'
const LOG_LINES = 50
const POLL_MS = 100
const MAX_PORT = 65_535
const MAX_WAIT_SECONDS = 3600

/** Returns the exit code. */
export async function start(env) {
  const variables = readVariables(env.INPUT_ENV ?? '')
  const settings = {
    SVC_HOST: input(env, 'host', '127.0.0.1'),
    SVC_HTTP_PORT: String(numberInput(env, 'port', { byDefault: 8080, max: MAX_PORT })),
    SVC_HTTPS_PORT: String(numberInput(env, 'https-port', { byDefault: 8443, max: MAX_PORT })),
    SVC_GRPC_PORT: String(numberInput(env, 'grpc-port', { byDefault: 50051, max: MAX_PORT })),
    ...(input(env, 'config') !== '' && { SVC_CONFIG_FILE: resolve(input(env, 'config')) }),
    ...variables,
  }
  const waitMs = numberInput(env, 'wait', { byDefault: 30, max: MAX_WAIT_SECONDS }) * 1000
  const home = realpathSync(mkdtempSync(join(env.RUNNER_TEMP || tmpdir(), 'svc-')))
  const [installed, folder, reports] = ['install', 'run', 'reports'].map(name => join(home, name))
  for (const one of [installed, folder, reports]) mkdirSync(one)
  install(installed, input(env, 'package') || `${PACKAGE}@${input(env, 'version', ownVersion())}`)
  const { main, version } = installedSvc(installed)

  const log = join(home, 'svc.log')
  const output = openSync(log, 'a')
  const args = ['--max-semi-space-size=64', main, ...words(input(env, 'args'))]
  const server = spawn(process.execPath, args, {
    cwd: folder,
    detached: true,
    stdio: ['ignore', output, output],
    env: { ...withoutInputs(env), ...settings },
  })
  closeSync(output)
  let ended
  server.on('exit', (code, signal) => {
    ended = `svc ended with ${signal ?? `exit code ${code}`}`
  })
  server.on('error', error => {
    ended = error.message
  })
  const addresses = await ready({ log, host: settings.SVC_HOST, waitMs, ended: () => ended })
  if (addresses === null) {
    if (ended === undefined) server.kill('SIGKILL')
    process.stdout.write(`${lastLines(log)}\n`)
    throw new Error(ended ?? `svc was not ready within ${waitMs / 1000} s`)
  }
  server.unref()
  const values = {
    ...addresses,
    'console-url': `${addresses.url}/ui/`,
    version,
    pid: String(server.pid),
    reports,
    log,
  }
  writeValues(env.GITHUB_OUTPUT, values)
  writeValues(
    env.GITHUB_ENV,
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [`SVC_${name.toUpperCase().replaceAll('-', '_')}`, value]),
    ),
  )
  if (variables.SVC_ADMIN_TOKEN !== undefined) keepToken(env, variables.SVC_ADMIN_TOKEN)
  process.stdout.write(`svc ${version} on ${addresses.url}, process ${server.pid}\n`)
  return 0
}

/** The report needs the token to read what was captured. */
function keepToken(env, token) {
  process.stdout.write(`::add-mask::${token}\n`)
  writeValues(env.GITHUB_ENV, { SVC_ADMIN_TOKEN: token })
}

function readVariables(text) {
  const variables = {}
  for (const [index, line] of text.split('\n').entries()) {
    const trimmed = line.trim()
    if (trimmed === '') continue
    const parts = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(trimmed)
    if (parts === null) throw new Error(`env, line ${index + 1}: expected NAME=value, got ${JSON.stringify(trimmed)}`)
    variables[parts[1]] = parts[2]
  }
  return variables
}

/** The version of the checkout that has the action. */
function ownVersion() {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
}

function install(folder, wanted) {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  // After `--`, a name is never an option of npm.
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', '--', wanted]
  // npm is a batch file on Windows, which only a shell starts; it gets a name without the characters of a shell.
  const isWindows = process.platform === 'win32'
  if (isWindows && !/^[\w@./:\\+~^-]+$/.test(wanted))
    throw new Error(`package: ${JSON.stringify(wanted)} is not a name, file or URL`)
  const { status, error } = spawnSync('npm', args, {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: isWindows,
  })
  if (status !== 0) throw new Error(error?.message ?? `npm install ${wanted} ended with exit code ${status}`)
}

function withoutInputs(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('INPUT_')))
}

/** Waits until svc is ready. Returns its addresses; null if it is not. */
async function ready({ log, host, waitMs, ended }) {
  const until = Date.now() + waitMs
  while (ended() === undefined && Date.now() < until) {
    const text = readFileSync(log, 'utf8')
    const portOf = name => new RegExp(`\\b${name} listening on \\S*:(\\d+)`).exec(text)?.[1]
    const [http, https, grpc] = ['HTTP', 'HTTPS', 'gRPC'].map(portOf)
    const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
    if (http !== undefined && https !== undefined && grpc !== undefined) {
      const url = `http://${name}:${http}`
      const isReady = await fetch(`${url}/_svc/ready`).then(
        ({ ok }) => ok,
        () => false,
      )
      if (isReady) return { url, 'https-url': `https://${name}:${https}`, 'grpc-address': `${name}:${grpc}` }
    }
    await sleep(POLL_MS)
  }
  return null
}

function lastLines(log) {
  return readFileSync(log, 'utf8').trimEnd().split('\n').slice(-LOG_LINES).join('\n')
}
