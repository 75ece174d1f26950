/** The tools from which `svc import` reads, where they are installed: by Maven's local repository, or packages of npm. */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { until } from '../../support/until.ts'
import { MODULES } from './program.ts'
import { freePort } from '../../support/free-ports.ts'

export interface Original {
  title: string
  /** Starts it with arguments that contain `PORT`, and returns its address once it answers. */
  start(t: { teardown(callback: () => unknown): unknown }, args: string[], cwd?: string): Promise<string>
}

/** A jar of the local Maven repository, or why it is not there, for `skip` of a test. `SVC_TEST_<NAME>` names another one. */
export function jarOf(name: string, path: string, properties: readonly string[] = []): Original | string {
  const jar = process.env[`SVC_TEST_${name.toUpperCase()}`] ?? join(homedir(), '.m2', 'repository', ...path.split('/'))
  if (!existsSync(jar))
    return `no ${name} here: mvn dependency:get puts ${path.split('/').at(-1)} into the local repository`
  try {
    execFileSync('java', ['-version'], { stdio: 'ignore' })
  } catch {
    return 'no java here'
  }
  return {
    title: `${name} ${versionIn(jar)}`,
    start: (t, args, cwd) => startProcess(t, 'java', [...properties, '-jar', jar, ...args], cwd),
  }
}

/** A program of a folder that `SVC_TEST_<NAME>` names, with its jar and those it needs, or why it is not there. */
export function jarsOf(name: string, jar: string, main: string, properties: readonly string[] = []): Original | string {
  const variable = `SVC_TEST_${name.toUpperCase()}`
  const folder = process.env[variable] ?? ''
  const file = folder === '' ? undefined : readdirSync(folder).find(one => one.startsWith(`${jar}-`))
  if (file === undefined)
    return `no ${name} here: ${variable} names the folder that mvn dependency:copy-dependencies writes`
  return {
    title: `${name} ${versionIn(file)}`,
    start: (t, args, cwd) => startProcess(t, 'java', [...properties, '-cp', join(folder, '*'), main, ...args], cwd),
  }
}

const versionIn = (jar: string): string => /(\d+\.\d+\.\d+)[^/]*$/.exec(jar)?.[1] ?? 'of unknown version'

/** A program of a package of this tier, or of the folder that `SVC_TEST_<NAME>` names. */
export function packageOf(name: string, bin: string): Original | string {
  const modules = [MODULES, process.env[`SVC_TEST_${name.toUpperCase()}`] ?? '']
  const file = modules.map(folder => join(folder, bin)).find(path => existsSync(path))
  if (file === undefined)
    return `no ${name} here: SVC_TEST_${name.toUpperCase()} names the node_modules with its package`
  return { title: name, start: (t, args) => startProcess(t, process.execPath, [file, ...args]) }
}

async function startProcess(
  t: { teardown(callback: () => unknown): unknown },
  command: string,
  args: string[],
  cwd?: string,
): Promise<string> {
  const port = await freePort()
  const child = spawn(
    command,
    args.map(arg => arg.replaceAll('PORT', String(port))),
    { stdio: ['ignore', 'pipe', 'pipe'], ...(cwd === undefined ? {} : { cwd }) },
  )
  let output = ''
  let hasEnded = false
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => (output = (output + data.toString()).slice(-4000)))
  child.on('exit', () => (hasEnded = true))
  t.teardown(() => child.kill('SIGKILL'))
  const url = `http://127.0.0.1:${port}`
  await until(async () => {
    if (hasEnded) throw new Error(`${command} has ended: ${output}`)
    return fetch(`${url}/none`).then(
      () => true,
      () => false,
    )
  })
  return url
}
