/** Server reflection without a connection. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { readDefinitions } from '../../../plugins/grpc/definitions.ts'
import { messageNames } from '../../../plugins/grpc/reflection/descriptor-files.ts'
import { createReflection } from '../../../plugins/grpc/reflection/service.ts'

const definitions = readDefinitions(
  readFileSync(join(import.meta.dirname, '..', '..', '..', 'proto', 'descriptors.binpb')),
)
const reflection = createReflection([definitions.descriptorSet])
const messages = new Set(messageNames(definitions.descriptorSet))

t.test('messages are found by their full names, including nested ones [GRPC-15]', async t => {
  for (const name of ['svc.echo.v1.EchoRequest', 'google.rpc.QuotaFailure.Violation'])
    t.equal(messages.has(name), true, name)
  for (const name of [
    '',
    'EchoRequest',
    'svc.echo.v1.EchoService',
    'grpc.health.v1.HealthCheckResponse.ServingStatus',
    'constructor',
  ])
    t.equal(messages.has(name), false, name)
})

for (const { service, implementation } of reflection) {
  const { path } = service.ServerReflectionInfo!
  t.test(`${path} stops reading requests while the client does not read responses [GRPC-14]`, async t => {
    let asked = 0
    const taken: { done(): void }[] = []
    const call = new Duplex({
      objectMode: true,
      highWaterMark: 4,
      read() {
        asked++
        this.push(asked > 100 ? null : { host: '', messageRequest: 'listServices', listServices: '' })
      },
      write(_answer, _encoding, done) {
        taken.push({ done })
      },
    })
    const handle = implementation.ServerReflectionInfo as unknown as (call: Duplex) => void
    handle(call)
    for (let index = 0; index < 20; index++) await turn()
    t.ok(asked < 20, `${asked} questions were read`)

    for (let answers = 0; answers < 100; answers++) {
      while (taken.length === 0) await turn()
      taken.shift()!.done()
    }
    t.equal(asked, 101, 'all requests get a response once the client reads')
    call.destroy()
  })
}
