/** Log lines in both forms, their levels, and their output. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { parseLogLevel, type LogLevel } from '../../../core/config/log-level.ts'
import { createLog, type Log } from '../../../core/log/log.ts'

const TIME = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z'

/** A log and the lines it wrote. */
function logged(format: 'text' | 'json', level: LogLevel = 'trace', isTTY = false): { log: Log; lines: string[] } {
  const lines: string[] = []
  return { log: createLog({ level, format, stream: { write: (line: string) => lines.push(line), isTTY } }), lines }
}

/** The text line of one event without its timestamp and line end. */
function textLine(message: string, fields?: Record<string, unknown>): string {
  const { log, lines } = logged('text')
  log.info(message, fields)
  return lines.join('').replace(new RegExp(`^${TIME} INFO (.*)\\n$`, 's'), '$1')
}

t.test('JSON lines have timestamp, level, message, then fields [LOG-1]', async t => {
  const { log, lines } = logged('json')
  log.info('request', {
    method: 'GET',
    path: '/uuid',
    status: 200,
    latency_ms: 0.8,
    plugin: undefined,
    route: null,
    tags: ['a', { b: true }],
  })
  t.match(
    lines[0],
    new RegExp(
      `^\\{"timestamp":"${TIME}","level":"info","message":"request","method":"GET","path":"/uuid","status":200,"latency_ms":0\\.8,"route":null,"tags":\\["a",\\{"b":true\\}\\]\\}\\n$`,
    ),
  )
  for (const level of ['trace', 'debug', 'warn', 'error'] as const) log[level](level)
  t.strictSame(
    lines.slice(1).map(line => JSON.parse(line).level),
    ['trace', 'debug', 'warn', 'error'],
  )
})

t.test('any field value gives valid JSON [LOG-1] [LOG-3]', async t => {
  const circular: Record<string, unknown> = {}
  circular.self = circular
  const error = new TypeError('broken "x"')
  const cases: [value: unknown, shown: unknown][] = [
    ['a "b" \\ c', 'a "b" \\ c'],
    ['tab\tnewline\n\u001b[31m\u007f\u009b\u2028', 'tab\tnewline\n\u001b[31m\u007f\u009b\u2028'],
    ['héllo 😀 \ud800', 'héllo 😀 \ud800'],
    [Number.NaN, null],
    [Infinity, null],
    [10n, '10'],
    [circular, '[object Object]'],
    [error, error.stack],
    [{ cause: error }, { cause: error.stack }],
    [() => 1, null],
    [Symbol('x'), null],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [Object.create(null), {}],
    [
      {
        get a() {
          throw new Error('no')
        },
      },
      '[object Object]',
    ],
  ]
  for (const [value, shown] of cases) {
    const { log, lines } = logged('json')
    log.info('event', { value })
    t.strictSame(JSON.parse(lines[0]!).value, shown)
    t.notMatch(lines[0]!.slice(0, -1), /[\p{Cc}\u2028\u2029]/u)
  }
  const { log, lines } = logged('json')
  log.info('event\n"x"', JSON.parse('{"level":"mine","message":1,"timestamp":2,"__proto__":3,"a b\\n":4}'))
  t.match(JSON.parse(lines[0]!), {
    level: 'info',
    message: 'event\n"x"',
    level_: 'mine',
    message_: 1,
    timestamp_: 2,
    'a b\n': 4,
  })
})

t.test('text lines are one line per event [LOG-2] [LOG-3]', async t => {
  t.equal(
    textLine('request', { method: 'GET', path: '/a?b', status: 200, ok: true, none: null, gone: undefined }),
    'request method=GET path=/a?b status=200 ok=true none=null',
  )
  t.equal(textLine('invalid SVC_PLAN "gold"'), 'invalid SVC_PLAN "gold"', 'a message stays as it is')
  const cases: [value: unknown, shown: string][] = [
    ['', '""'],
    ['two words', '"two words"'],
    ['a=b', '"a=b"'],
    ['a"b', '"a\\"b"'],
    ['back\\slash', '"back\\\\slash"'],
    ['héllo', 'héllo'],
    ['a\u00a0b', '"a\u00a0b"'],
    ['x\nINFO forged', '"x\\nINFO forged"'],
    ['\u001b[31m', '"\\u001b[31m"'],
    ['\u009b\u007f', '"\\u009b\\u007f"'],
    [{ a: [1] }, '{"a":[1]}'],
  ]
  for (const [value, shown] of cases) t.equal(textLine('event', { value }), `event value=${shown}`)
  t.equal(textLine('forged\n2026 ERROR \u001b[2J', { 'a b': 1 }), 'forged\\u000a2026 ERROR \\u001b[2J "a b"=1')
  const { log, lines } = logged('text')
  log.warn('careful')
  t.match(lines[0], new RegExp(`^${TIME} WARN careful\\n$`))
})

t.test('colors are only for terminals and the text form [LOG-2]', async t => {
  const onTerminal = logged('text', 'info', true)
  onTerminal.log.error('broken', { a: '\u001b[0m' })
  t.equal(onTerminal.lines[0]!.replace(/^.*?Z /, ''), '\u001b[31mERROR\u001b[0m broken a="\\u001b[0m"\n')
  const json = logged('json', 'info', true)
  json.log.error('broken')
  t.notMatch(json.lines[0], '\u001b')
  const plain: string[] = []
  createLog({
    level: 'info',
    format: 'text',
    stream: { write: (line: string) => plain.push(line), isTTY: true, hasColors: () => false },
  }).error('broken')
  t.notMatch(plain[0], '\u001b')
})

t.test('a child writes its fields on every line', async t => {
  for (const format of ['json', 'text'] as const) {
    const { log, lines } = logged(format, 'info')
    const child = log.child({ plugin: 'bins' }).child({ area: 'x y' })
    child.info('one', { n: 1 })
    child.debug('hidden')
    log.info('two')
    t.equal(lines.length, 2)
    t.match(
      lines[0],
      format === 'json' ? '"message":"one","plugin":"bins","area":"x y","n":1}' : 'one plugin=bins area="x y" n=1',
    )
    t.notMatch(lines[1], 'bins')
  }
})

t.test('the call signatures of pino, and those of svc [KIT-9]', async t => {
  const error = new Error('broken')
  const cases: [args: [unknown, ...unknown[]], line: object][] = [
    [['text'], { message: 'text' }],
    [['text', { a: 1 }], { message: 'text', a: 1 }],
    [['/a%20b%d0', { a: 1 }], { message: '/a%20b%d0', a: 1 }],
    [['text', undefined], { message: 'text' }],
    [['text', error], { message: 'text', error: error.stack }],
    [['%s is %d, %j', 'x', 2, { y: 3 }, 'left out'], { message: 'x is 2, {"y":3}' }],
    [['as %j', { a: 1 }], { message: 'as {"a":1}' }],
    [['100 %'], { message: '100 %' }],
    [['many', 1, 2], { message: 'many' }],
    [[{ a: 1 }], { message: '', a: 1 }],
    [[{ a: 1 }, 'text'], { message: 'text', a: 1 }],
    [[{ a: 1 }, 'text %s', 'b', 'left out'], { message: 'text b', a: 1 }],
    [[{ err: error }], { message: 'broken', err: error.stack }],
    [[error], { message: 'broken', error: error.stack }],
    [[error, 'said so'], { message: 'said so', error: error.stack }],
    [[undefined, 'text'], { message: 'text' }],
    [[5], { message: '5' }],
    [[['a']], { message: 'a' }],
  ]
  for (const [args, line] of cases) {
    const { log, lines } = logged('json')
    log.info(...(args as [string]))
    const { timestamp, ...written } = JSON.parse(lines[0]!)
    t.strictSame(written, { level: 'info', ...line }, String(args[0]))
    t.ok(timestamp)
  }
})

t.test('a logger has its own level, fatal counts as error, silent logs nothing', async t => {
  const { log, lines } = logged('json', 'warn')
  const quiet = log.child({ a: 1 }, { level: 'silent' })
  const loud = log.child({ b: 2 }, { level: 'debug' })
  quiet.fatal('hidden')
  loud.debug('shown')
  loud.fatal('last words')
  loud.silent('hidden')
  log.info('hidden')
  t.strictSame(
    lines.map(line => JSON.parse(line)).map(({ level, message, b }) => [level, message, b]),
    [
      ['debug', 'shown', 2],
      ['error', 'last words', 2],
    ],
  )
  t.strictSame([log.level, quiet.level, loud.level], ['warn', 'silent', 'debug'])
  loud.level = 'fatal'
  t.strictSame(
    ['trace', 'warn', 'error', 'fatal', 'silent'].map(level => loud.isLevelEnabled(level)),
    [false, false, true, true, false],
  )
  t.throws(() => log.child({}, { level: 'loud' }), /unknown log level "loud"; expected one of trace/)
})

t.test('serializers transform fields', async t => {
  const { log, lines } = logged('json')
  const child = log.child(
    { user: { id: 1, secret: 'x' } },
    { serializers: { user: ({ id }: { id: number }) => id, error: () => 'never' } },
  )
  child.child({ n: 1 }).info({ user: { id: 2, secret: 'x' }, error: new Error('broken') }, 'text')
  t.match(lines[0], /"user":1,"n":1,"user":2,"error":"Error: broken/)
  t.notMatch(lines[0], 'secret')
})

t.test('levels filter, startup lines are always shown [LOG-5]', async t => {
  const levels = ['trace', 'debug', 'info', 'warn', 'error'] as const
  for (const [index, threshold] of ([...levels, 'off'] as const).entries()) {
    const { log, lines } = logged('json', threshold)
    for (const level of levels) log[level](level)
    log.line('HTTP listening on 0.0.0.0:80')
    t.strictSame(
      lines.map(line => JSON.parse(line).message),
      [...levels.slice(index), 'HTTP listening on 0.0.0.0:80'],
    )
    t.strictSame(
      levels.map(level => log.isEnabled(level)),
      levels.map((_, place) => place >= index),
    )
    t.equal(log.isEnabled('off'), false)
  }
})

t.test('filter lists select one level [LOG-4]', async t => {
  const cases: [filter: string, level: LogLevel | undefined][] = [
    ['INFO', 'info'],
    ['off', 'off'],
    ['warn,http=debug', 'warn'],
    ['http=debug,warn', 'warn'],
    ['warn,error', 'error'],
    ['http=debug,grpc=trace', 'debug'],
    ['http=loud,grpc=trace', 'trace'],
    [' Warn , http = debug ', 'warn'],
    ['svc', undefined],
    ['http=', undefined],
    ['', undefined],
    ['=,=', undefined],
    ['5', undefined],
    ['a=b=debug', 'debug'],
  ]
  for (const [filter, level] of cases) t.equal(parseLogLevel(filter), level, filter)
})

/** Starts a program in the fixtures folder. */
function start(name: string, ...args: string[]): ReturnType<typeof spawn> {
  return spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, '../../fixtures/log', name), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}

t.test('a line of an idle process appears immediately [LOG-6]', async t => {
  const child = start('idle.ts')
  const [line] = await once(createInterface(child.stdout!), 'line')
  t.match(line, new RegExp(`^${TIME} INFO HTTP listening on 127\\.0\\.0\\.1:1$`))
  child.stdin!.end()
  t.strictSame(await once(child, 'exit'), [0, null])
})

t.test('no line is lost at exit [LOG-6]', async t => {
  for (const how of ['flush', 'exit']) {
    const child = start('burst.ts', how)
    const lines = (await text(child.stdout!)).trimEnd().split('\n')
    t.strictSame(
      lines.map(line => JSON.parse(line).number),
      Array.from({ length: 5_000 }, (_, index) => index + 1),
      how,
    )
  }
})

t.test('a reader that disconnects neither ends nor blocks the process [LOG-7]', async t => {
  for (const how of ['flush', 'exit']) {
    const child = start('burst.ts', how)
    child.stdout!.destroy()
    t.strictSame(await once(child, 'exit'), [0, null], how)
  }
})

t.test('a reader that stalls does not block the process [LOG-7]', async t => {
  const script = '("$0" --import tsx "$1" "$2"; echo "left with $?" >&2) | sleep 60'
  for (const how of ['flush', 'exit']) {
    const pipeline = spawn(
      'sh',
      ['-c', script, process.execPath, join(import.meta.dirname, '../../fixtures/log/burst.ts'), how],
      { stdio: ['ignore', 'ignore', 'pipe'], detached: true },
    )
    const [line] = await once(createInterface(pipeline.stderr), 'line')
    process.kill(-pipeline.pid!, 'SIGKILL')
    t.equal(line, 'left with 0', how)
  }
})

t.test('the number of dropped lines is reported when a slow reader reads again [LOG-7]', async t => {
  const child = spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, '../../fixtures/log/flood.ts')], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // The reader starts after everything is written.
  await once(child.stderr, 'data')
  const lines = (await text(child.stdout))
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  t.match(lines.at(-1), { level: 'warn', message: /^log lines dropped/ })
  t.equal(lines.length - 1 + lines.at(-1).lines, 20_000)
})
