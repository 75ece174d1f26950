/** Modules of the console that read and count: curl commands, rates, times in filters. */
import t from 'tap'
import { readCurl } from '../../plugins/console/client/lib/protocol/read-curl.ts'
import { Rates } from '../../plugins/console/client/lib/traffic/rates.ts'
import type { Entry } from '../../plugins/console/client/lib/protocol/http.ts'

t.test('curl commands [CON-40]', async t => {
  const rows: [command: string, expected: object | string][] = [
    ['curl localhost:8080/a?b=c', { method: 'GET', url: 'http://localhost:8080/a?b=c', headers: [], body: '' }],
    [`curl -XPUT "http://h/x" -d 'a=1' -d b=2`, { method: 'PUT', body: 'a=1&b=2' }],
    [`curl http://h/ --json '{"a":"it'\\''s"}'`, { method: 'POST', body: `{"a":"it's"}` }],
    [`curl -G http://h/?a=1 --data-urlencode 'q=x y'`, { method: 'GET', url: 'http://h/?a=1&q=x%20y', body: '' }],
    [
      'curl -u ada:pw -A probe/1 -b a=1 http://h/',
      { headers: [{ value: 'Basic YWRhOnB3' }, { value: 'probe/1' }, { value: 'a=1' }] },
    ],
    [
      'curl -s -o out -m 5 --compressed -L http://h/ -H "X-A: b: c" -H X-Empty:',
      {
        headers: [
          { name: 'X-A', value: 'b: c' },
          { name: 'X-Empty', value: '' },
        ],
      },
    ],
    ['curl --request=DELETE http://h/', { method: 'DELETE' }],
    ['curl -I http://h/', { method: 'HEAD' }],
    ['curl', 'The command has no URL.'],
    ['wget http://h/', 'The command has to start with "curl".'],
    [`curl 'http://h/`, 'A quote is not closed.'],
    ['curl -F a=1 http://h/', 'Multipart forms (-F) are not supported.'],
    ['curl http://', 'http:// is not a URL.'],
  ]
  for (const [command, expected] of rows) t.match(readCurl(command), expected, command)
})

t.test('rates count every entry once, by outcome [CON-42]', async t => {
  const rates = new Rates()
  const at = Date.parse('2026-01-01T00:00:10Z')
  const entry = (id: string, status: number, ended: Entry['ended'] = 'complete'): Entry =>
    ({ id, status, ended, timestamp: new Date(at).toISOString() }) as Entry
  const entries = [entry('a', 200), entry('b', 302), entry('c', 404), entry('d', 503), entry('e', 200, 'aborted')]
  rates.add(entries)
  rates.add(entries)
  t.strictSame(
    rates.buckets(at, 2, 5).map(({ counts }) => counts),
    [
      [0, 0, 0, 0],
      [2, 1, 1, 1],
    ],
  )
  rates.clear()
  t.strictSame(rates.buckets(at, 1, 5)[0]!.counts, [0, 0, 0, 0])
})
