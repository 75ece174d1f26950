/** Requests that the originals of the plugin `drop-in` answer, for comparison with svc. */
export interface Case {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string
}

export interface Answer {
  status: number
  /** Those of `COMPARED`. */
  headers: Record<string, string>
  body: string
}

/** Header fields that are compared. */
export const COMPARED = ['content-type', 'connection', 'x-a', 'x-mixed', 'content-encoding', 'content-length']

const post = (path: string, body = 'hello', headers: Record<string, string> = {}): Case => ({
  method: 'POST',
  path,
  body,
  headers,
})

/** Without chance: percentages are 0 or 100. Bytes of `size` are compared by their number. */
export const FORTIO: readonly Case[] = [
  { path: '/' },
  post('/'),
  post('/any/path', '{"a":1}', { 'Content-Type': 'application/json' }),
  { path: '/?status=418' },
  { path: '/?status=503:100' },
  { path: '/?status=503:0,404:100' },
  { path: '/?status=x' },
  { path: '/?status=503:60,404:60' },
  { path: '/?status=503:20:1' },
  { path: '/?status=503' },
  post('/?status=201', 'created'),
  post('/?header=X-A:1'),
  post('/?header=X-A:1&header=X-Mixed:2'),
  post('/?header=bad&header=X-A:%20spaced'),
  post('/?close=true'),
  post('/?close=0'),
  post('/?delay=1ms'),
  post('/?delay=x'),
  post('/?delay=1ms:100'),
  post('/?delay=1ms:200'),
  post('/?size=x'),
  post('/?size=-1'),
  post('/?gzip=true'),
  post('/?gzip=0', 'hello', { 'Accept-Encoding': 'gzip' }),
  { path: '/?size=100' },
  { path: '/?size=100:100' },
  post('/?size=50&header=X-A:1&status=404'),
]
