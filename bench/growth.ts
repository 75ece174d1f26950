/**
 * The cost of one request as something grows: connections, bodies, operations of a mock, captured requests. All sizes run
 * side by side, so the figures of one row can be compared.
 */
import { contest, type Contender, type ContestOptions, type Figures } from './contest.ts'
import { sendLoad, type Load } from './load.ts'
import { startProduct } from './product.ts'
import type { Measured } from './process.ts'

export interface Growth {
  name: string
  /** By size, smallest first. */
  figures: Map<string, Figures>
}

const CONNECTIONS = [1, 10, 100, 1000]
const BODIES = [1, 16, 128, 1024]
const OPERATIONS = [10, 500, 5000]
const CAPACITIES = [500, 10_000]

export async function measureGrowth(server: Measured, options: ContestOptions): Promise<Growth[]> {
  const at = (name: string, load: Omit<Load, 'port' | 'seconds'>, on = server): Contender => ({
    name,
    server: on,
    load: seconds => sendLoad({ port: on.port, warmUp: 0, seconds, ...load }),
  })
  const growth = async (name: string, contenders: Contender[]): Promise<Growth> => ({
    name,
    figures: await contest(contenders, options),
  })

  const mocked: Contender[] = []
  for (const count of OPERATIONS) mocked.push(at(String(count), { path: await deploy(server, count), connections: 50 }))
  const captures = await Promise.all(
    CAPACITIES.map(capacity => startProduct({ SVC_INSPECTOR_CAPACITY: String(capacity) })),
  )
  const grown = [
    await growth(
      'GET /echo by connections',
      CONNECTIONS.map(connections => at(String(connections), { path: '/echo', connections })),
    ),
    await growth(
      'POST /echo by KiB of body',
      BODIES.map(size =>
        at(String(size), {
          path: '/echo',
          method: 'POST',
          connections: 10,
          headers: { 'Content-Type': 'text/plain' },
          body: 'x'.repeat(size * 1024),
        }),
      ),
    ),
    await growth('mock response by operations', mocked),
    await growth(
      'GET /echo by inspector capacity',
      CAPACITIES.map((capacity, index) => at(String(capacity), { path: '/echo', connections: 50 }, captures[index])),
    ),
  ]
  for (const capture of captures) await capture.stop()
  return grown
}

/** Operations per document; a document has a limit. */
const OPERATIONS_EACH = 2000

/** Deploys mocks with `count` operations, in several documents if necessary; returns the path of the last operation. */
async function deploy(server: Measured, count: number): Promise<string> {
  let mock = ''
  for (let from = 0; from < count; from += OPERATIONS_EACH) {
    mock = `grown-${count}-${from}`
    await deployPart(server, mock, from, Math.min(count, from + OPERATIONS_EACH))
  }
  return `/mock/${mock}/things-${count - 1}/7`
}

async function deployPart({ port }: Measured, mock: string, from: number, to: number): Promise<void> {
  const paths = Object.fromEntries(
    Array.from({ length: to - from }, (_, index) => [
      `/things-${from + index}/{id}`,
      {
        get: {
          operationId: `get${from + index}`,
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
          responses: {
            200: { description: 'a thing', content: { 'application/json': { example: { id: 7, name: 'a thing' } } } },
          },
        },
      },
    ]),
  )
  const response = await fetch(`http://127.0.0.1:${port}/_svc/mocks/${mock}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ openapi: '3.1.0', info: { title: 'Grown', version: '1' }, paths }),
  })
  if (!response.ok) throw new Error(`${mock}: ${response.status} ${(await response.text()).slice(0, 300)}`)
}
