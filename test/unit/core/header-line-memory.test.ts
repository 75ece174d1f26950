/**
 * Cached header lines take little memory, whatever names and values clients choose.
 * Takes long: it fills caches.
 */
import t from 'tap'
import { HeaderLineCache } from '../../../core/http/node-internals/header-line-cache.ts'
import { heapGrowth, KIB, MIB, slice } from '../../support/store-memory.ts'

t.test('neither long names nor names and values that are cut from a large text are kept [HARD-14]', async t => {
  const cache = new HeaderLineCache()
  const grown = await heapGrowth(() => {
    for (let index = 0; index < 300; index++) {
      cache.lineOf(`x-${'long'.repeat(8 * KIB)}-${index}`, 'value')
      cache.lineOf(`x-${slice(index, 40).replaceAll(' ', '-')}`, slice(index))
    }
  })
  t.ok(grown < MIB, `${(grown / MIB).toFixed(1)} MiB of 300 names`)
  t.equal(cache.lineOf(`x-${'long'.repeat(8 * KIB)}`, 'value')?.length, 4 * 8 * KIB + 11, 'they are still sent')
})
