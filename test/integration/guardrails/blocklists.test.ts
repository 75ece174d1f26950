/** Blocklists of Azure AI Content Safety: operations, limits, and the search for many terms. */
import t from 'tap'
import { TermAutomaton } from '../../../plugins/guardrails/term-automaton.ts'
import { serve } from '../../support/server.ts'

const AZURE = '/guardrails/azure/contentsafety'
const LISTS = `${AZURE}/text/blocklists`

interface Answer {
  status: number
  code: string | null
  body: {
    value?: { text: string; blocklistItemId: string; blocklistName: string }[]
    nextLink?: string
    blocklistItems?: { blocklistItemId: string; text: string }[]
    blocklistsMatch?: object[]
    error?: { code: string; target?: string }
  }
}

function callerOf(url: string, headers: Record<string, string> = {}) {
  return async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const answer = await fetch(path.startsWith('http') ? path : url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    return {
      status: answer.status,
      code: answer.headers.get('x-ms-error-code'),
      body: text === '' ? {} : (JSON.parse(text) as Answer['body']),
    }
  }
}

const items = (...texts: string[]): object => ({ blocklistItems: texts.map(text => ({ text })) })

t.test('blocklists', async t => {
  const server = await serve(t, { yaml: 'plugins: { enable: [guardrails] }\n' })
  const call = callerOf(server.url)

  t.test('a list is created, updated, filled, searched and deleted [GUARD-21]', async t => {
    t.match(await call('PATCH', `${LISTS}/a`, { description: 'x' }), {
      status: 201,
      body: { blocklistName: 'a', description: 'x' },
    })
    t.match(
      await call('PATCH', `${LISTS}/a`, {}),
      { status: 200, body: { description: 'x' } },
      'an absent field is not changed',
    )
    t.strictSame((await call('PATCH', `${LISTS}/a`, { description: null })).body, { blocklistName: 'a' })
    t.match(await call('PATCH', `${LISTS}/b`, {}), { status: 201 })
    t.strictSame((await call('GET', LISTS)).body, { value: [{ blocklistName: 'a' }, { blocklistName: 'b' }] })
    const first = await call('POST', `${LISTS}/a:addOrUpdateBlocklistItems`, items('one two', 'Three'))
    const again = await call('POST', `${LISTS}/a%3AaddOrUpdateBlocklistItems`, {
      blocklistItems: [{ text: 'one two', description: 'later' }, { text: 'four' }],
    })
    t.equal(
      again.body.blocklistItems?.[0]?.blocklistItemId,
      first.body.blocklistItems?.[0]?.blocklistItemId,
      'the same text is the same item',
    )
    t.match(
      first.body.blocklistItems?.[0]?.blocklistItemId,
      /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
    t.match(await call('GET', `${LISTS}/a/blocklistItems`), {
      status: 200,
      body: { value: [{ text: 'one two', description: 'later' }, { text: 'Three' }, { text: 'four' }] },
    })
    await call('POST', `${LISTS}/b:addOrUpdateBlocklistItems`, items('three'))
    const { body } = await call('POST', `${AZURE}/text:analyze`, {
      text: 'THREE and One  Two, a secret recipe',
      blocklistNames: ['b', 'no-such-list', 'a'],
    })
    t.match(
      body.blocklistsMatch,
      [
        { blocklistName: 'b', blocklistItemText: 'three' },
        {
          blocklistName: 'no-such-list',
          blocklistItemText: 'secret recipe',
          blocklistItemId: 'b10c0000-0000-4000-8000-000000000003',
        },
        { blocklistName: 'a', blocklistItemText: 'one two' },
        { blocklistName: 'a', blocklistItemText: 'Three' },
      ],
      'by name, then in the order of the list; an unknown name refers to the demo blocklist',
    )
    t.match(
      await call('POST', `${LISTS}/a:removeBlocklistItems`, {
        blocklistItemIds: [first.body.blocklistItems?.[0]?.blocklistItemId, 'other'],
      }),
      { status: 204 },
    )
    t.strictSame(
      (await call('GET', `${LISTS}/a/blocklistItems`)).body.value?.map(item => item.text),
      ['Three', 'four'],
    )
    for (const name of ['a', 'b', 'b']) t.equal((await call('DELETE', `${LISTS}/${name}`)).status, 204)
    t.strictSame((await call('GET', LISTS)).body, { value: [] })
  })

  t.test('items are paginated with absolute links [GUARD-21]', async t => {
    await call('PATCH', `${LISTS}/paged`, {})
    for (const from of [0, 100])
      await call(
        'POST',
        `${LISTS}/paged:addOrUpdateBlocklistItems`,
        items(...Array.from({ length: 100 }, (_, index) => `term ${from + index}`)),
      )
    const walk = async (query: string): Promise<number[]> => {
      const sizes: number[] = []
      for (let next: string | undefined = `${LISTS}/paged/blocklistItems${query}`; next !== undefined; ) {
        const { body } = await call('GET', next)
        sizes.push(body.value?.length ?? -1)
        next = body.nextLink
      }
      return sizes
    }
    t.strictSame(await walk(''), [100, 100])
    t.strictSame(await walk('?api-version=2024-09-01&maxpagesize=70'), [70, 70, 60])
    t.strictSame(await walk('?skip=190&maxpagesize=5000'), [10])
    t.strictSame(await walk('?top=25&maxpagesize=10'), [10, 10, 5])
    t.strictSame(await walk('?top=0'), [0])
    t.match(
      (await call('GET', `${LISTS}/paged/blocklistItems?api-version=v`)).body.nextLink,
      `${server.url}${LISTS}/paged/blocklistItems?api-version=v&skip=100`,
    )
    for (const query of ['top=x', 'skip=-1', 'maxpagesize=0', 'top=1e3'])
      t.match(await call('GET', `${LISTS}/paged/blocklistItems?${query}`), {
        status: 400,
        code: 'InvalidQueryParameterValue',
        body: { error: { target: query.split('=')[0] } },
      })
  })

  t.test('invalid requests get the errors of the service [GUARD-11] [GUARD-21]', async t => {
    await call('PATCH', `${LISTS}/refusals`, {})
    const rows: [method: string, path: string, body: unknown, status: number, code: string][] = [
      ['PATCH', '/a%20b', {}, 400, 'InvalidResourceName'],
      ['PATCH', `/${'x'.repeat(65)}`, {}, 400, 'InvalidResourceName'],
      ['GET', '/%C3%BC', undefined, 400, 'InvalidResourceName'],
      ['DELETE', '/a%2Fb', undefined, 400, 'InvalidResourceName'],
      ['PATCH', '/x', '', 400, 'InvalidRequestBody'],
      ['PATCH', '/x', '[]', 400, 'InvalidRequestBody'],
      ['PATCH', '/x', { description: 1 }, 400, 'InvalidRequestBody'],
      ['PATCH', '/x', { description: 'x'.repeat(1025) }, 400, 'InvalidRequestBody'],
      ['PATCH', '/x', { blocklistName: 'y' }, 400, 'InvalidRequestBody'],
      ...[
        {},
        { blocklistItems: [] },
        { blocklistItems: 'x' },
        { blocklistItems: ['x'] },
        items(''),
        items(' \t'),
        items('x'.repeat(129)),
        { blocklistItems: [{ text: 'x', description: 1 }] },
        items(...Array<string>(101).fill('x')),
      ].map((body): (typeof rows)[number] => [
        'POST',
        '/refusals:addOrUpdateBlocklistItems',
        body,
        400,
        'InvalidRequestBody',
      ]),
      ...[{}, { blocklistItemIds: [] }, { blocklistItemIds: [1] }].map((body): (typeof rows)[number] => [
        'POST',
        '/refusals:removeBlocklistItems',
        body,
        400,
        'InvalidRequestBody',
      ]),
      ['GET', '/none', undefined, 404, 'ResourceNotFound'],
      ['GET', '/none/blocklistItems', undefined, 404, 'ResourceNotFound'],
      ['GET', '/refusals/blocklistItems/none', undefined, 404, 'ResourceNotFound'],
      ['POST', '/none:addOrUpdateBlocklistItems', items('x'), 404, 'ResourceNotFound'],
      ['POST', '/none:removeBlocklistItems', { blocklistItemIds: ['x'] }, 404, 'ResourceNotFound'],
      ['POST', '/refusals', {}, 404, 'NotFound'],
      ['POST', '/refusals:dance', {}, 404, 'NotFound'],
      ['POST', '/refusals:constructor', {}, 404, 'NotFound'],
    ]
    for (const [method, path, body, status, code] of rows) {
      t.match(
        await call(method, LISTS + path, body),
        { status, code, body: { error: { code } } },
        `${method} ${path} ${JSON.stringify(body)?.slice(0, 60)}`,
      )
    }
    t.match(
      await call('POST', `${LISTS}/refusals:addOrUpdateBlocklistItems`, items('😀'.repeat(128))),
      { status: 200 },
      'code points count',
    )
  })

  t.test('the size of a list and the number of lists are limited [GUARD-22]', async t => {
    await call('PATCH', `${LISTS}/full`, {})
    const batch = (from: number, length = 100): object =>
      items(...Array.from({ length }, (_, index) => `term ${from + index}`))
    for (let from = 0; from < 1000; from += 100)
      t.equal((await call('POST', `${LISTS}/full:addOrUpdateBlocklistItems`, batch(from))).status, 200)
    t.match(await call('POST', `${LISTS}/full:addOrUpdateBlocklistItems`, items('one more')), {
      status: 400,
      body: { error: { code: 'InvalidRequestBody', message: /1000 items/ } },
    })
    t.match(
      await call('POST', `${LISTS}/full:addOrUpdateBlocklistItems`, items('term 7')),
      { status: 200 },
      'a full list can still be updated',
    )
    await call('PATCH', `${LISTS}/long`, {})
    const long = (from: number): object =>
      items(...Array.from({ length: 100 }, (_, index) => `${from + index} `.padEnd(128, 'x')))
    t.equal((await call('POST', `${LISTS}/long:addOrUpdateBlocklistItems`, long(0))).status, 200)
    t.equal((await call('POST', `${LISTS}/long:addOrUpdateBlocklistItems`, long(100))).status, 400)
    for (let index = 0; index < 19; index++) {
      await call('GET', `${LISTS}/full`)
      await call('PATCH', `${LISTS}/list-${index}`, {})
    }
    const names = (await call('GET', LISTS)).body.value?.map(list => list.blocklistName) ?? []
    t.equal(names.length, 20)
    t.ok(names.includes('full') && !names.includes('long'), 'the least recently used list is evicted')
  })
})

t.test('in public mode each session has its own lists [GUARD-22]', async t => {
  const server = await serve(t, { yaml: 'plugins: { enable: [guardrails] }\n', env: { SVC_PUBLIC_MODE: 'true' } })
  const [ann, ben] = ['ann', 'ben'].map(name => callerOf(server.url, { 'X-Svc-Session': name })) as [
    ReturnType<typeof callerOf>,
    ReturnType<typeof callerOf>,
  ]
  t.equal((await ann('PATCH', `${LISTS}/mine`, {})).status, 201)
  await ann('POST', `${LISTS}/mine:addOrUpdateBlocklistItems`, items('falcon'))
  t.equal((await ben('GET', `${LISTS}/mine`)).status, 404)
  const text = { text: 'a falcon', blocklistNames: ['mine'] }
  t.equal((await ann('POST', `${AZURE}/text:analyze`, text)).body.blocklistsMatch?.length, 1)
  t.equal((await ben('POST', `${AZURE}/text:analyze`, text)).body.blocklistsMatch?.length, 0)
  for (let index = 0; index < 6; index++) await ben('PATCH', `${LISTS}/list-${index}`, {})
  t.equal((await ben('GET', LISTS)).body.value?.length, 5)
  t.equal((await ann('GET', LISTS)).body.value?.length, 1)
})

t.test('searching many terms at once gives the same result as one by one, in linear time [GUARD-22]', t => {
  const found = (terms: string[], text: string): string[] => {
    const hits = new TermAutomaton(terms).search(text)
    return terms.filter((_, index) => hits[index])
  }
  t.strictSame(
    found(
      ['kill', 'skill', 'a  b', 'b', 'self-harm', 'self harm', '#x', 'c++', '😀 ok'],
      'Kill-switch: A\n\tB; self-harm #X C++ 😀  OK',
    ),
    ['kill', 'a  b', 'b', 'self-harm', '#x', 'c++', '😀 ok'],
  )
  t.strictSame(
    found(['b c', 'a b c d', 'c'], 'a b c e'),
    ['b c', 'c'],
    'a shorter term inside the start of a longer one',
  )
  t.strictSame(found([], 'x'), [])
  t.strictSame(found(['x'], ''), [])

  // Words from a small alphabet, so that terms overlap; each term is also searched separately.
  let seed = 7
  const random = (below: number): number => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below
  const phrase = (length: number): string =>
    Array.from({ length }, () => 'ab!'[random(3)]! + (random(2) === 0 ? ' ' : ''))
      .join('')
      .trim()
  for (let round = 0; round < 200; round++) {
    const terms = Array.from({ length: 12 }, () => phrase(1 + random(4))).filter(term => term !== '')
    const text = phrase(12)
    t.strictSame(
      found(terms, text),
      terms.filter(term => found([term], text).length === 1),
      `${JSON.stringify(terms)} in ${text}`,
    )
  }

  const hostile = Array.from({ length: 2000 }, (_, index) => `${'! '.repeat(60)}${index}`)
  const before = process.cpuUsage()
  t.strictSame(found(hostile, '! '.repeat(5000)), [])
  t.strictSame(found(['! '.repeat(60).trim()], '! '.repeat(5000)).length, 1)
  const { user, system } = process.cpuUsage(before)
  t.ok(user + system < 5e6, 'takes less than 5 s of processor time')
  t.end()
})
