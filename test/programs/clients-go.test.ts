/** The Go client: its own tests, the contract of all clients, and the example of `docs/clients.md` in a module of its own. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { copyOfClient, emptyFolder, examplesIn, matchContract, packedSvc, succeeds } from './support/clients.ts'
import { findProgram } from './support/program.ts'

t.setTimeout(0)
const MODULE = 'github.com/svc-upstream/svc/clients/go'
/** The client has no dependencies: nothing is fetched. */
const OFFLINE = { GOPROXY: 'off', GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local', GOWORK: 'off' }
const found = findProgram('go', ['version'])
const go = typeof found === 'string' ? undefined : found
const skip = typeof found === 'string' && found
const svc = go === undefined ? undefined : await packedSvc(t)

t.test('the tests of the Go client pass, with a process of their own [CLIENTS-3]', { skip }, async t => {
  const cwd = copyOfClient(t, 'go')
  await succeeds(t, go!, ['vet', './...'], { cwd, env: OFFLINE })
  await succeeds(t, go!, ['vet', './...'], { cwd, env: { ...OFFLINE, GOOS: 'windows' } })
  const { output } = await succeeds(t, go!, ['test', '-count=1', '-v', './...'], {
    cwd,
    env: { ...OFFLINE, SVC_COMMAND: svc!.command },
  })
  t.match(output, /^--- PASS: /m)
  t.notMatch(output, /--- SKIP/)
})

t.test('the Go client uses what the contract has [CLIENTS-1]', { skip }, async t => {
  const cwd = copyOfClient(t, 'go')
  const { url, operations } = await svc!.recorded(t)
  await succeeds(t, go!, ['test', '-count=1', './...'], { cwd, env: { ...OFFLINE, SVC_URL: url } })
  matchContract(t, operations())
})

t.test('the Go example of the page passes in an empty folder [CLIENTS-4]', { skip }, async t => {
  const [test, ...others] = examplesIn('go')
  t.strictSame(others, [])
  const client = copyOfClient(t, 'go')
  const cwd = emptyFolder(t)
  const module = `module example.com/orders\n\ngo 1.22\n\nrequire ${MODULE} v0.0.0\n\nreplace ${MODULE} => ${client}\n`
  writeFileSync(join(cwd, 'go.mod'), module)
  writeFileSync(join(cwd, 'orders_test.go'), test!)
  const { output } = await succeeds(t, go!, ['test', '-count=1', '-v', './...'], {
    cwd,
    env: { ...OFFLINE, SVC_COMMAND: svc!.command },
  })
  t.match(output, /^--- PASS: TestRetries/m)
})
