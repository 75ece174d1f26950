/** `POST /jsonrpc`. */
import t from 'tap'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const { url } = await serve(t)
const { url: publicUrl } = await serve(t, { env: { SVC_PUBLIC_MODE: 'true' } })

const call = async (body: string | Buffer, base = url): Promise<string> =>
  (await send(base, '/jsonrpc', { method: 'POST', body })).text
/** A call with the id 1. */
const of = (method: string, params?: string): string =>
  `{"jsonrpc":"2.0","method":"${method}"${params === undefined ? '' : `,"params":${params}`},"id":1}`
const result = (json: string): string => `{"jsonrpc":"2.0","result":${json},"id":1}`
const isError = (code: number, id: unknown = 1) => ({ jsonrpc: '2.0', error: { code }, id })
const NO_ID_PARSE = '{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}'
const NO_ID_INVALID = '{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"},"id":null}'

t.test('supports each method [RPC-1]', async t => {
  const rows: [method: string, params: string | undefined, json: string][] = [
    ['echo', undefined, 'null'],
    ['echo', '[]', '[]'],
    ['echo', '{"a":[1,{"b":null}],"c":"\\u0000\\ud83d\\ude00"}', '{"a":[1,{"b":null}],"c":"\\u0000😀"}'],
    ['add', '[5]', '5'],
    ['add', '[1,2,3]', '6'],
    ['add', '[-1,0.5]', '-0.5'],
    ['add', '{"a":1,"b":2}', '3'],
    ['add', '[1e3,1]', '1001'],
    ['add', '[0.1,0.2]', '0.30000000000000004'],
    ['add', '{"b":2,"a":1,"c":9}', '3'],
    ['subtract', '[42,23]', '19'],
    ['subtract', '[23,42]', '-19'],
    ['subtract', '{"minuend":42,"subtrahend":-23}', '65'],
    ['subtract', '{"subtrahend":1.5,"minuend":2}', '0.5'],
    ['sleep', '[0]', '{"slept_ms":0}'],
    ['sleep', '{"ms":5}', '{"slept_ms":5}'],
    ['sleep', '[005]'.replace('00', ''), '{"slept_ms":5}'],
  ]
  for (const [method, params, json] of rows)
    t.equal(await call(of(method, params)), result(json), `${method} ${params}`)
  const reply = await send(url, '/jsonrpc', {
    method: 'POST',
    headers: { 'Content-Type': 'text/nonsense' },
    body: of('echo'),
  })
  t.match([reply.status, reply.headers['content-type']], [200, /^application\/json/])
})

t.test('ids and numbers keep their exact digits, integers add without loss [RPC-2]', async t => {
  for (const id of ['9007199254740993', '1.50', '-0', '1e400', '0', '"x"', '""', 'null', '"\\u00e9"'])
    t.equal(
      await call(`{"jsonrpc":"2.0","method":"echo","id":${id}}`),
      `{"jsonrpc":"2.0","result":null,"id":${id === '"\\u00e9"' ? '"é"' : id}}`,
      id,
    )
  t.equal(await call(of('echo', '[9007199254740993,1.50,1E5,-0.0]')), result('[9007199254740993,1.50,1E5,-0.0]'))
  t.equal(await call(of('add', '[9007199254740993,9007199254740993]')), result('18014398509481986'))
  t.equal(await call(of('subtract', '[1,9223372036854775808]')), result('-9223372036854775807'))
  t.equal(
    await call(of('echo', '{"__proto__":{"a":1},"constructor":2,"a":1,"a":2}')),
    result('{"__proto__":{"a":1},"constructor":2,"a":2}'),
  )
})

t.test('returns the requested error [RPC-3]', async t => {
  const rows: [params: string, error: string][] = [
    ['[-32001]', '{"code":-32001,"message":"Requested error"}'],
    ['[7,"no stock"]', '{"code":7,"message":"no stock"}'],
    ['[7,"m",null]', '{"code":7,"message":"m","data":null}'],
    [
      '{"code":9007199254740993,"message":"","data":{"n":1.50}}',
      '{"code":9007199254740993,"message":"","data":{"n":1.50}}',
    ],
    ['{"code":1,"data":[]}', '{"code":1,"message":"Requested error","data":[]}'],
  ]
  for (const [params, error] of rows)
    t.equal(await call(of('error', params)), `{"jsonrpc":"2.0","error":${error},"id":1}`, params)
})

t.test('invalid JSON is a parse error, other JSON an invalid request [RPC-4]', async t => {
  for (const body of [
    '',
    ' ',
    'nonsense',
    '{"jsonrpc":"2.0"',
    '{"a":1}x',
    '[1,]',
    '{a:1}',
    "{'a':1}",
    '01',
    'NaN',
    '"\u0001"',
    '{"jsonrpc":"2.0","method":"echo","params":[.5],"id":1}',
  ])
    t.equal(await call(body), NO_ID_PARSE, body)
  t.equal(await call(Buffer.from('{"jsonrpc":"2.0","method":"\xff","id":1}', 'latin1')), NO_ID_PARSE)
  t.equal(await call('['.repeat(500_000)), NO_ID_PARSE)
  for (const body of [
    '[]',
    '7',
    'null',
    'true',
    '"x"',
    '{}',
    '{"jsonrpc":"2.0"}',
    '{"method":"echo","id":[]}',
    '{"jsonrpc":"2.0","method":"echo","id":true}',
    '{"jsonrpc":"2.0","method":"echo","id":{}}',
    '{"jsonrpc":"2.0","method":7}',
    '{"jsonrpc":2.0,"method":"echo"}',
  ])
    t.equal(await call(body), NO_ID_INVALID, body)
  for (const [body, id] of [
    ['{"jsonrpc":"1.0","method":"echo","id":"a"}', '"a"'],
    ['{"method":"echo","id":5.0}', '5.0'],
    ['{"jsonrpc":"2.0","method":null,"id":null}', 'null'],
  ] as const)
    t.equal(await call(body), NO_ID_INVALID.replace('"id":null', `"id":${id}`), body)
})

t.test('unknown methods and invalid params have their own errors [RPC-5]', async t => {
  for (const method of ['nope', 'rpc.discover', '', 'ECHO', '__proto__', 'constructor', 'toString']) {
    t.strictSame(
      JSON.parse(await call(of(method))),
      {
        jsonrpc: '2.0',
        error: {
          code: -32601,
          message: 'Method not found',
          data: { method, available: ['echo', 'add', 'subtract', 'sleep', 'error'] },
        },
        id: 1,
      },
      method,
    )
  }
  const rows: [method: string, params: string[]][] = [
    ['echo', ['"x"', '1', 'true', 'null', '1.5']],
    [
      'add',
      [
        '[]',
        '{}',
        '["1"]',
        '[1,null]',
        '[true]',
        '{"a":1}',
        '{"a":1,"b":"2"}',
        '[[1]]',
        '[1e999]',
        '[1e308,1e308]',
        `[${'9'.repeat(1001)}]`,
        '{"__proto__":{"a":1,"b":2}}',
      ],
    ],
    ['subtract', ['[]', '[1]', '[1,2,3]', '{"minuend":1}', '{"minuend":1,"subtrahend":null}', '["1","2"]']],
    ['sleep', ['[]', '{}', '["5"]', '[-1]', '[1.5]', '[1e3]', '[30001]', '[99999999999999999999]', '{"ms":null}']],
    ['error', ['[]', '{}', '["1"]', '[1.5]', '[1e3]', '[null]', '[1,2]', '[1,null]', '{"code":true}']],
  ]
  for (const [method, all] of rows) {
    for (const params of all) {
      const reply = JSON.parse(await call(of(method, params))) as { error: { message: string } }
      t.match(reply, isError(-32602), `${method} ${params.slice(0, 40)}`)
      t.match(reply.error.message, /^Invalid params/)
    }
  }
  for (const method of ['add', 'subtract', 'sleep', 'error'])
    t.match(JSON.parse(await call(of(method))), isError(-32602), `${method} without params`)
  t.match(JSON.parse(await call(of('sleep', '[10001]'), publicUrl)), isError(-32602))
})

t.test('a value that cannot be serialized is an internal error [RPC-6]', async t => {
  const codes = new Set<number | undefined>()
  for (let depth = 500; depth < 20_000; depth = Math.ceil(depth * 1.3)) {
    const reply = await send(url, '/jsonrpc', {
      method: 'POST',
      body: of('echo', '['.repeat(depth) + ']'.repeat(depth)),
    })
    t.equal(reply.status, 200, `${depth} levels`)
    codes.add(
      /"error":\{"code":(-\d+)/.exec(reply.text) === null ? undefined : Number(/"code":(-\d+)/.exec(reply.text)![1]),
    )
  }
  t.ok(
    [...codes].every(code => code === undefined || code === -32700 || code === -32603),
    [...codes].join(),
  )
})

t.test('notifications never get a response, alone or together, even if they fail [RPC-7]', async t => {
  const rows = [
    '{"jsonrpc":"2.0","method":"echo"}',
    '{"jsonrpc":"2.0","method":"nope"}',
    '{"jsonrpc":"2.0","method":"add","params":"x"}',
    '{"jsonrpc":"2.0","method":"error","params":[1]}',
    '[{"jsonrpc":"2.0","method":"echo"},{"jsonrpc":"2.0","method":"nope","params":1}]',
  ]
  for (const body of rows) {
    const reply = await send(url, '/jsonrpc', { method: 'POST', body })
    t.strictSame([reply.status, reply.text, reply.headers['content-type']], [204, '', undefined], body)
  }
})

t.test('responses of a batch are in order, and an invalid request does not affect others [RPC-8]', async t => {
  const batch = `[${of('sleep', '[40]')},1,${of('echo', '[2]')},{"jsonrpc":"2.0","method":"echo"},{"foo":"boo"},${of('nope')}]`
  t.match(JSON.parse(await call(batch)), [
    { result: { slept_ms: 40 }, id: 1 },
    isError(-32600, null),
    { result: [2], id: 1 },
    isError(-32600, null),
    isError(-32601),
  ])
})

t.test('the requests of a batch run concurrently [RPC-8]', async t => {
  // One after another they would take half a minute, the time limit of the file.
  const reply = JSON.parse(
    await call(`[${Array.from({ length: 100 }, () => of('sleep', '[300]')).join()}]`),
  ) as unknown[]
  t.equal(reply.length, 100)
})

t.test('a batch above the maximum is rejected as a whole [RPC-9]', async t => {
  const batchOf = (count: number): string => `[${Array.from({ length: count }, () => of('echo')).join()}]`
  for (const [base, cap] of [
    [url, 100],
    [publicUrl, 20],
  ] as const) {
    t.equal((JSON.parse(await call(batchOf(cap), base)) as unknown[]).length, cap)
    t.equal(await call(batchOf(cap + 1), base), NO_ID_INVALID)
  }
})

t.test('other HTTP methods are rejected [RPC-1]', async t => {
  for (const method of ['GET', 'PUT', 'DELETE'])
    t.strictSame(
      await send(url, '/jsonrpc', { method }).then(reply => [reply.status, reply.headers.allow]),
      [405, 'POST'],
      method,
    )
})
