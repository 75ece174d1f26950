/** JSON Patch (RFC 6902), with the examples of its appendix A. */
import t from 'tap'
import { OutputBudget, StepBudget } from '../../../core/contract/budgets.ts'
import type { Json } from '../../../core/contract/json.ts'
import { parseExactJson, writeJson } from '../../../core/toolkit/exact-json.ts'
import { readOrProblem } from '../../../core/toolkit/input-problem.ts'
import { applyJsonPatch, readJsonPatch } from '../../../core/toolkit/json-patch.ts'

const budgets = () => ({
  output: new OutputBudget(100_000),
  steps: StepBudget.unlimited(),
  fill: (value: Json): Json => value,
})
const patched = (document: Json, patch: Json): Json => applyJsonPatch(document, readJsonPatch(patch, ''), budgets())

t.test('operations', async t => {
  for (const [document, patch, expected] of [
    [{ foo: 'bar' }, [{ op: 'add', path: '/baz', value: 'qux' }], { foo: 'bar', baz: 'qux' }],
    [{ foo: ['bar', 'baz'] }, [{ op: 'add', path: '/foo/1', value: 'qux' }], { foo: ['bar', 'qux', 'baz'] }],
    [{ foo: ['bar'] }, [{ op: 'add', path: '/foo/-', value: ['a'] }], { foo: ['bar', ['a']] }],
    [{ baz: 'qux', foo: 'bar' }, [{ op: 'remove', path: '/baz' }], { foo: 'bar' }],
    [{ foo: ['bar', 'qux'] }, [{ op: 'remove', path: '/foo/0' }], { foo: ['qux'] }],
    [{ baz: 'qux' }, [{ op: 'replace', path: '/baz', value: 'boo' }], { baz: 'boo' }],
    [{ a: { b: 1 }, c: {} }, [{ op: 'move', from: '/a/b', path: '/c/d' }], { a: {}, c: { d: 1 } }],
    [{ foo: ['a', 'b', 'c'] }, [{ op: 'move', from: '/foo/0', path: '/foo/2' }], { foo: ['b', 'c', 'a'] }],
    [
      { a: { b: [1] } },
      [
        { op: 'copy', from: '/a', path: '/c' },
        { op: 'add', path: '/c/b/0', value: 0 },
      ],
      { a: { b: [1] }, c: { b: [0, 1] } },
    ],
    [{ a: 1 }, [{ op: 'test', path: '/a', value: 1 }], { a: 1 }],
    [
      { '/': 9, '~1': 10 },
      [
        { op: 'test', path: '/~01', value: 10 },
        { op: 'remove', path: '/~1' },
      ],
      { '~1': 10 },
    ],
    [{ a: 1 }, [{ op: 'replace', path: '', value: [1] }], [1]],
    [{}, [{ op: 'add', path: '/__proto__', value: 1 }], JSON.parse('{"__proto__":1}')],
  ] as [Json, Json, Json][]) {
    const before = JSON.stringify(document)
    t.equal(JSON.stringify(patched(document, patch)), JSON.stringify(expected), JSON.stringify(patch))
    t.equal(JSON.stringify(document), before, 'the document itself is not changed')
  }
  const exact = patched(parseExactJson('{"a":12345678901234567890}'), [{ op: 'copy', from: '/a', path: '/b' }])
  t.equal(writeJson(exact), '{"a":12345678901234567890,"b":12345678901234567890}')
})

t.test('what does not fit is a problem with its operation', async t => {
  for (const [document, patch] of [
    [{ a: 1 }, { op: 'remove', path: '/b' }],
    [{ a: 1 }, { op: 'add', path: '/b/c', value: 1 }],
    [{ a: [] }, { op: 'add', path: '/a/1', value: 1 }],
    [{ a: [1] }, { op: 'replace', path: '/a/01', value: 1 }],
    [{ a: 1 }, { op: 'test', path: '/a', value: '1' }],
    [{ a: {} }, { op: 'move', from: '/a', path: '/a/b' }],
    [{}, { op: 'remove', path: '/constructor' }],
  ] as [Json, Json][])
    t.match(
      readOrProblem(() => patched(document, [{ op: 'add', path: '/ok', value: 1 }, patch])),
      { problem: { at: '[1]', details: String } },
      JSON.stringify(patch),
    )
})

t.test('wrong patches are refused when they are read, and copies of copies are bounded', async t => {
  for (const [patch, at] of [
    [{}, ''],
    [[{ op: 'add', path: 'a', value: 1 }], '[0].path'],
    [[{ op: 'add', path: '/~2', value: 1 }], '[0].path'],
    [[{ op: 'add', path: '/a' }], '[0].value'],
    [[{ op: 'move', path: '/a' }], '[0].from'],
    [[{ op: 'put', path: '/a' }], '[0].op'],
    [[{ op: 'remove', path: '/a', valu: 1 }], '[0].valu'],
    [Array.from({ length: 101 }, () => ({ op: 'remove', path: '/a' })), ''],
  ] as [Json, string][])
    t.match(
      readOrProblem(() => readJsonPatch(patch, '')),
      { problem: { at } },
      JSON.stringify(patch).slice(0, 80),
    )
  const doubling = Array.from({ length: 40 }, () => ({ op: 'copy', from: '', path: '/-' }))
  t.throws(() => patched(['x'.repeat(100)], doubling), { code: 'SVC_OUTPUT_TOO_LARGE' })
})
