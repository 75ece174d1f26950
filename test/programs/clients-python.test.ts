/** The Python client, installed as users install it: its own tests, the contract of all clients, and the examples of `docs/clients.md`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { copyOfClient, emptyFolder, examplesIn, matchContract, packedSvc, succeeds } from './support/clients.ts'
import { findProgram, type Program } from './support/program.ts'

t.setTimeout(0)
/** Other variables may make pytest color its output. */
const PLAIN = { PY_COLORS: '0' }
const found = findProgram(process.env.SVC_TEST_PYTHON ?? 'python3')
const environment = typeof found === 'string' ? found : await newEnvironment(found)
const python = typeof environment === 'string' ? undefined : environment
const skip = typeof environment === 'string' && environment

/** An environment with pytest and the client, or why there is not one. */
async function newEnvironment(interpreter: Program): Promise<Program | string> {
  const cwd = emptyFolder(t)
  const { code, output } = await interpreter.run(['-m', 'venv', 'env'], { cwd })
  if (code !== 0) return `${interpreter.title} has no venv: ${output.slice(-300)}`
  const own = findProgram(join(cwd, 'env', 'bin', 'python'))
  if (typeof own === 'string') return own
  const tools = await own.run(['-m', 'pip', 'install', '-q', '--upgrade', 'pytest', 'setuptools>=77'], { cwd })
  if (tools.code !== 0) return `${interpreter.title} can't install pytest: ${tools.output.slice(-300)}`
  const client = copyOfClient(t, 'python')
  await succeeds(t, own, ['-m', 'pip', 'install', '-q', '--no-build-isolation', '--no-deps', client], { cwd })
  return own
}

const svc = python === undefined ? undefined : await packedSvc(t)

t.test('the tests of the Python client pass, with a process of their own [CLIENTS-3]', { skip }, async t => {
  const cwd = copyOfClient(t, 'python')
  const { output } = await succeeds(t, python!, ['-m', 'pytest', '-q', '-o', 'pythonpath=', 'tests'], {
    cwd,
    env: { ...PLAIN, SVC_COMMAND: svc!.command },
  })
  t.match(output, /^\d+ passed in /m)
  t.notMatch(output, /skipped/)
})

t.test('the Python client uses what the contract has [CLIENTS-1]', { skip }, async t => {
  const cwd = copyOfClient(t, 'python')
  const { url, operations } = await svc!.recorded(t)
  await succeeds(t, python!, ['-m', 'pytest', '-q', 'tests/test_client.py'], { cwd, env: { ...PLAIN, SVC_URL: url } })
  matchContract(t, operations())
})

t.test('the Python examples of the page pass in an empty folder [CLIENTS-4]', { skip }, async t => {
  const [test, program, ...others] = examplesIn('python')
  t.strictSame(others, [])
  const cwd = emptyFolder(t)
  const env = { ...PLAIN, SVC_COMMAND: svc!.command }
  writeFileSync(join(cwd, 'test_orders.py'), test!)
  const { output } = await succeeds(t, python!, ['-m', 'pytest', '-q', '-p', 'no:cacheprovider'], { cwd, env })
  t.match(output, /^1 passed in /m)
  writeFileSync(join(cwd, 'program.py'), program!)
  await succeeds(t, python!, ['program.py'], { cwd, env })
})
