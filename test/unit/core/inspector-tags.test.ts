/** Tags of captured requests: how many are kept, and how a filter finds them. */
import t from 'tap'
import { hasTag, joinTags } from '../../../core/inspector/tags.ts'

t.test('an entry has few tags, each once and cut, the earlier ones first', async t => {
  t.strictSame(joinTags(['a'], ['b', 'a', 'c']), ['a', 'b', 'c'])
  const many = Array.from({ length: 30 }, (_, index) => `t${index}`)
  t.strictSame(joinTags(['first'], many), ['first', ...many.slice(0, 9)])
  t.strictSame(joinTags([], ['x'.repeat(200)]), ['x'.repeat(80)])
})

t.test('a filter is a tag, or its beginning with a star', async t => {
  const tags = ['violation:openai.range', 'directive']
  for (const [wanted, expected] of [
    ['directive', true],
    ['direct', false],
    ['violation:*', true],
    ['violation:openai.*', true],
    ['violation:anthropic.*', false],
    ['*', true],
  ] as const)
    t.equal(hasTag(tags, wanted), expected, wanted)
  t.equal(hasTag([], '*'), false)
})
