/** Random operations on event logs give the same results in memory and in a shared store. */
import t from 'tap'
import type { EventLog, EventLogBounds, Store } from '../../core/contract/plugin.ts'
import { StateRegistry } from '../../core/state/state-registry.ts'
import { NEEDS_SERVER, openReplica, startStateServer } from '../support/state-store.ts'
import { randomNumbers } from '../support/random-numbers.ts'

const BOUNDS: Record<string, EventLogBounds<string>> = {
  'count of all': { maxPerStream: 3, maxCount: 5 },
  'bytes of a stream': { maxPerStream: 50, maxBytesPerStream: 1_500, maxCount: 100 },
  'bytes of all': { maxPerStream: 50, maxBytes: 4_000, maxCount: 100 },
  'own sizes': { maxPerStream: 50, maxBytes: 3_000, maxCount: 100, sizeOf: value => value.length },
}

interface Pair {
  log: EventLog<string>
  owner: Store<number>
}

t.test('random operations', NEEDS_SERVER, async t => {
  const server = await startStateServer(t)
  const { registry } = await openReplica(t, server.url)
  const memory = new StateRegistry()
  t.teardown(() => memory.close())
  let names = 0
  for (const isOwned of [false, true]) {
    for (const [name, bounds] of Object.entries(BOUNDS)) {
      await t.test(`${name}${isOwned ? ', of a store' : ''} [STATE-34]`, async t => {
        const index = names++
        const open = (of: StateRegistry): Pair => {
          const holder = of.hold(1, 'model', 'v')
          const owner = holder.state<number>(`owner${index}`, { maxCount: 3, secret: index % 2 === 0 })
          const log = holder.eventLog<string>(`log${index}`, {
            ...bounds,
            ...(isOwned && { of: owner as unknown as Store<unknown> }),
          })
          return { log, owner }
        }
        const pairs = [open(memory), open(registry)]
        const random = randomNumbers(index + 1)
        const done: string[] = []
        for (let step = 0; step < 400; step++) {
          const stream = `s${random(4)}`
          const from = [2, -1, 1e20][random(3)]!
          const value = 'v'.repeat(random(200))
          const operations: Record<string, (pair: Pair) => Promise<unknown>> = {
            'set the owner': ({ owner }) => owner.set(stream, 1),
            'delete the owner': ({ owner }) => owner.delete(stream),
            append: ({ log }) => log.append(stream, value),
            'append once more': ({ log }) => log.append(stream, value),
            'append a long one': ({ log }) => log.append(stream, value.repeat(10)),
            newest: ({ log }) => log.newest(stream, 2),
            after: ({ log }) => log.after(stream, from, 2),
            find: ({ log }) => log.find(stream, found => found.length % 2 === 1),
            clear: ({ log }) => log.clear(stream, found => found.length % 3 === 0),
          }
          const chosen = Object.keys(operations)[random(Object.keys(operations).length)]!
          done.push(`${chosen} ${stream}`)
          const results: string[] = []
          for (const pair of pairs)
            results.push(
              JSON.stringify([
                await operations[chosen]!(pair),
                await pair.log.info(stream),
                await pair.log.newest(stream, 9),
                await pair.log.bytes(),
              ]),
            )
          if (results[0] === results[1]) continue
          t.equal(results[1], results[0], done.slice(-8).join('\n'))
          return
        }
        t.pass('all results are the same')
      })
    }
  }
})
