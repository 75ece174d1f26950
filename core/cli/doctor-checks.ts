/** The checks of `svc doctor`, in the order in which they are printed. */
import { execFile } from 'node:child_process'
import { access, constants, readFile } from 'node:fs/promises'
import { delimiter, dirname, join, resolve } from 'node:path'
import { PluginVariables } from '../config/plugin-variables.ts'
import { readEnvironment } from '../config/environment.ts'
import type { Config } from '../config/variables.ts'
import { demoCaName } from '../pki/authority.ts'
import { parseCertificate, parsePrivateKey, readPemFile } from '../pki/pem-files.ts'
import { hasCommonName, validityOf, validityState } from '../pki/verification.ts'
import { PRODUCT_FOLDER } from '../product.ts'
import { fail, ok, warn, type Check } from './doctor-check.ts'
import { checkInstance, checkPorts } from './doctor-ports.ts'
import { findProblems } from './findings.ts'
import { inspect } from './inspection.ts'
import { connectToStore } from './store-connection.ts'
import { plural, type Terminal } from './terminal.ts'

/** Open files and connections that a server needs. */
const MIN_OPEN_FILES = 1_024
/** A larger difference between clocks makes state expire too early or too late. */
const MAX_CLOCK_OFFSET_MS = 1_000

/** Programs that svc starts, each with what it is for. Any one of the names is enough. */
const PROGRAMS: readonly { names: readonly string[]; purpose: string }[] = [
  { names: ['valkey-server', 'redis-server'], purpose: 'SVC_STATE_STORE=local starts it' },
  { names: ['openssl'], purpose: 'examples of the documentation use it' },
]

/** Runs all checks. Nothing is started or written. */
export async function runChecks(terminal: Terminal): Promise<Check[]> {
  const { environment, workingDirectory } = terminal
  const { config } = readEnvironment(environment)
  const certificate = resolve(workingDirectory, config.tlsCert)
  return [
    await checkNode(),
    await checkConfiguration(terminal),
    ...(await checkPorts(config)),
    await checkCertificates(certificate, resolve(workingDirectory, config.tlsKey)),
    await checkFolder(dirname(certificate)),
    ...(await checkOpenFiles()),
    ...(await checkStore(terminal, config)),
    ...(await Promise.all(PROGRAMS.map(program => checkProgram(program, environment)))),
    await checkInstance(environment),
  ]
}

async function checkNode(): Promise<Check> {
  const { engines } = JSON.parse(await readFile(join(PRODUCT_FOLDER, 'package.json'), 'utf8')) as {
    engines: { node: string }
  }
  const floor = engines.node.replace(/^\D+/, '')
  const { node } = process.versions
  if (isAtLeast(node, floor)) return ok('node', `Node ${node}`)
  return fail('node', `Node ${node} is too old`, `install Node ${floor} or later`)
}

/** Compares dotted numbers. */
export function isAtLeast(version: string, floor: string): boolean {
  const [own, least] = [version, floor].map(text => text.split('.').map(part => Number.parseInt(part, 10)))
  for (const [index, part] of least!.entries()) {
    const other = own![index] ?? 0
    if (other !== part) return other > part
  }
  return true
}

async function checkConfiguration(terminal: Terminal): Promise<Check> {
  const { environment } = terminal
  const variables = new PluginVariables(environment, readEnvironment(environment))
  const { findings, file } = await inspect(terminal, undefined, async services => ({
    findings: await findProblems(services, variables.warnings(services.host.declarations.definitions)),
    file: services.host.configFile,
  }))
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const name = 'configuration'
  const counts = `${file ?? 'no svc.yaml, using defaults'}: ${plural(errors, 'error')}, ${plural(findings.length - errors, 'warning')}`
  if (findings.length === 0) return ok(name, counts)
  return (errors > 0 ? fail : warn)(name, counts, 'run svc check, which lists them')
}

async function checkCertificates(certificateFile: string, keyFile: string): Promise<Check> {
  const name = 'certificates'
  const [certificate, key] = await Promise.all([readPemFile(certificateFile), readPemFile(keyFile)])
  if (certificate.state === 'missing' && key.state === 'missing')
    return ok(name, `${certificateFile} and its key are created at the first start`)
  if (certificate.state === 'missing' || key.state === 'missing') {
    const absent = certificate.state === 'missing' ? certificateFile : keyFile
    return warn(name, `${absent} is missing`, 'add it, or delete the other file, so that svc creates both')
  }
  if (certificate.state === 'unreadable')
    return fail(
      name,
      `${certificateFile} can't be read (${certificate.reason})`,
      'correct its permissions or SVC_TLS_CERT',
    )
  if (key.state === 'unreadable')
    return fail(name, `${keyFile} can't be read (${key.reason})`, 'correct its permissions or SVC_TLS_KEY')
  const parsed = parseCertificate(certificate.text)
  const privateKey = parsePrivateKey(key.text)
  if (parsed === null || privateKey === null || !parsed.checkPrivateKey(privateKey))
    return fail(name, `${certificateFile} and ${keyFile} are not a certificate and its key`, 'replace or delete them')
  const state = validityState(validityOf(parsed), Date.now())
  if (state === 'valid') return ok(name, `${certificateFile} is valid until ${parsed.validTo}`)
  if (hasCommonName(parsed.issuer, demoCaName)) return ok(name, `${certificateFile} is ${state}, and svc replaces it`)
  return fail(name, `${certificateFile} is ${state} (${parsed.validFrom} to ${parsed.validTo})`, 'renew it')
}

/** The folder, or the one in which it would be created. */
async function checkFolder(folder: string): Promise<Check> {
  const name = 'data_folder'
  for (let existing = folder; ; existing = dirname(existing)) {
    const problem = await access(existing, constants.W_OK).then(
      () => null,
      (error: NodeJS.ErrnoException) => error.code ?? 'error',
    )
    if (problem === null) return ok(name, `${folder} is writable`)
    if (problem === 'ENOENT' && dirname(existing) !== existing) continue
    return warn(
      name,
      `${folder} is not writable (${problem}), so certificates are kept in memory`,
      'make it writable, or set SVC_TLS_CERT and SVC_TLS_KEY',
    )
  }
}

/** None where the limit can't be read, as on Windows. */
async function checkOpenFiles(): Promise<Check[]> {
  const limit = await openFilesLimit()
  if (limit === null) return []
  const name = 'open_files'
  if (limit >= MIN_OPEN_FILES) return [ok(name, `at most ${limit === Infinity ? 'any number of' : limit} open files`)]
  return [warn(name, `at most ${limit} open files, so connections fail under load`, `ulimit -n ${MIN_OPEN_FILES}`)]
}

function openFilesLimit(): Promise<number | null> {
  return new Promise(resolve => {
    execFile('sh', ['-c', 'ulimit -n'], (error, stdout) => {
      const text = stdout.trim()
      if (error !== null || !/^(?:\d+|unlimited)$/.test(text)) resolve(null)
      else resolve(text === 'unlimited' ? Infinity : Number(text))
    })
  })
}

async function checkStore(terminal: Terminal, { stateStore }: Config): Promise<Check[]> {
  const name = 'state_store'
  if (stateStore.url === null) return [ok(name, 'no state store: state is in the memory of the process')]
  if (stateStore.url === 'local') return [ok(name, 'the state store is started with svc')]
  const { host, version, policy, clockOffsetMs, findings } = await connectToStore(terminal)
  const problems = findings.map(({ severity, message, remedy }) =>
    (severity === 'error' ? fail : warn)(name, message, remedy ?? ''),
  )
  const answered = problems.length > 0 ? problems : [ok(name, `state store ${host}: ${version}, ${policy}`)]
  if (clockOffsetMs === null) return answered
  const clock = `the clock differs by ${Math.abs(clockOffsetMs)} ms from that of the state store`
  return [
    ...answered,
    Math.abs(clockOffsetMs) <= MAX_CLOCK_OFFSET_MS
      ? ok('clock', clock)
      : warn('clock', clock, 'synchronize the clocks of both machines'),
  ]
}

async function checkProgram(
  { names, purpose }: (typeof PROGRAMS)[number],
  environment: NodeJS.ProcessEnv,
): Promise<Check> {
  const folders = (environment.PATH ?? '').split(delimiter).filter(folder => folder !== '')
  const suffix = process.platform === 'win32' ? '.exe' : ''
  for (const program of names) {
    for (const folder of folders) {
      const file = join(folder, program + suffix)
      const isThere = await access(file, constants.X_OK).then(
        () => true,
        () => false,
      )
      if (isThere) return ok(names[0]!, `${program} is at ${file}`)
    }
  }
  return warn(names[0]!, `${names.join(' or ')} is not in PATH (${purpose})`, 'install it if you need it')
}
