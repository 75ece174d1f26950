/** The deadline queue compared with a plain list, over many small histories. */
import t, { type Test } from 'tap'
import { DeadlineQueue, type Deadline } from '../../../core/collections/deadline-queue.ts'
import { Random } from '../../fuzz/random.ts'

interface Item extends Deadline {
  name: number
}

function item(name: number, dueAt: number): Item {
  return { name, dueAt, place: -1, link: null }
}

/** `order` is the probability that a deadline is later than all others. */
function play(t: Test, seed: number, order: number): void {
  const random = new Random(`${seed}`)
  const below = (bound: number): number => random.below(bound)
  const queue = new DeadlineQueue<Item>()
  const held: Item[] = []
  let latest = 0
  const due = (): number => (below(100) < 100 * order ? (latest += below(3)) : below(latest + 1))
  for (let step = 0; step < 300; step++) {
    const what = below(10)
    const one = held[below(held.length)]
    if (what < 5 || one === undefined) {
      const added = item(step, due())
      held.push(added)
      queue.add(added)
    } else if (what < 7) {
      one.dueAt = due()
      queue.moved(one)
    } else {
      const gone = what === 7 ? one : queue.first!
      held.splice(held.indexOf(gone), 1)
      queue.remove(gone)
      queue.remove(gone)
      if (gone.place >= 0 || gone.link !== null) return void t.fail(`step ${step}: what was removed still has a place`)
    }
    const earliest = held.length === 0 ? undefined : Math.min(...held.map(each => each.dueAt))
    if (queue.size !== held.length || queue.first?.dueAt !== earliest) {
      return void t.fail(
        `step ${step}: ${queue.size} of ${held.length}, first ${queue.first?.dueAt} instead of ${earliest}`,
      )
    }
  }
  const left: number[] = []
  for (let first = queue.first; first !== undefined; first = queue.first) {
    left.push(first.dueAt)
    queue.remove(first)
  }
  t.strictSame(
    left,
    held.map(each => each.dueAt).sort((a, b) => a - b),
    `${left.length} left, in order`,
  )
}

for (const [name, order] of [
  ['all in order', 1],
  ['nearly all in order', 0.9],
  ['half in order', 0.5],
  ['in no order', 0],
] as const) {
  t.test(name, async t => {
    for (let seed = 1; seed <= 25; seed++) play(t, seed, order)
  })
}
