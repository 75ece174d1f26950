/** The plugin `httpbin`: responses as those of httpbin, go-httpbin and Gateway API's echo-basic. */
import { definePlugin } from 'svc/plugin'
import type {} from '../drop-in/types.ts'
import type {} from '../images/types.ts'
import type { TransferContent } from '../transfer/types.ts'
import { FAMILIAR } from './elsewhere.ts'
import { addOperations, CATEGORY, PREFIX } from './mounting.ts'
import type { Mount, Operation } from './operation.ts'
import { schema, type HttpbinOptions, type Served } from './options.ts'
import { CACHING } from './routes/caching.ts'
import { COOKIES } from './routes/cookies.ts'
import { CREDENTIALS } from './routes/credentials.ts'
import { dataOperations } from './routes/data.ts'
import { DIGEST } from './routes/digest.ts'
import { addEchoBasic, addEchoBasicH2c, addEchoBasicHost } from './routes/echo-basic.ts'
import { openAttempts } from './routes/echo-basic-retry.ts'
import { ENCODINGS } from './routes/encodings.ts'
import { imageOperations } from './routes/images.ts'
import { INSTANCE } from './routes/instance.ts'
import { pages } from './routes/pages.ts'
import { RANGES } from './routes/ranges.ts'
import { REDIRECTS } from './routes/redirects.ts'
import { REFLECTION } from './routes/reflection.ts'
import { RESPONSE_HEADERS } from './routes/response-headers.ts'
import { STATUS } from './routes/status.ts'
import { TIMED } from './routes/timed.ts'
import { addWebSocket } from './routes/websocket.ts'
import type {} from './types.ts'
import { deploymentOf, variables, type Variables } from './variables.ts'

/** Below it are the routes of hosts that are served whole. */
const HOSTS = '/httpbin/hosts'
const HOST_MOUNTS: Record<Served, string> = {
  httpbin: `${HOSTS}/httpbin`,
  'go-httpbin': `${HOSTS}/go-httpbin`,
  'echo-basic': `${HOSTS}/echo-basic`,
}
/** A port that takes HTTP/2 only. */
const H2C_MOUNT = `${HOSTS}/echo-basic-h2c`

/** Paths at the root. The list does not depend on other plugins, so that a path never changes its meaning. */
const ROOT_PATHS =
  '/get /post /put /patch /delete /head /headers /user-agent /upload /dump/request /basic-auth /hidden-basic-auth /bearer /digest-auth /relative-redirect /deny /html /xml /json /robots.txt /forms/post /etag /cache /unstable /env /hostname /version /jsonl /websocket/echo /base64'.split(
    ' ',
  )

export default definePlugin<HttpbinOptions, Variables>({
  title: 'httpbin',
  description: "Responds as httpbin, go-httpbin and Gateway API's echo-basic.",
  paths: [PREFIX, '/echo-basic', ...ROOT_PATHS],
  uses: ['images', 'transfer', 'drop-in'],
  familiar: FAMILIAR,
  options: schema,
  variables,
  categories: [{ name: CATEGORY, rank: 55 }],
  register(app, svc) {
    const { flavour, hosts, root } = svc.options
    svc.offer('httpbin.deployment', () => deploymentOf(svc))
    const operations = allOperations(svc.use('images.files'), svc.use('transfer.content'))
    mount({ original: flavour, path: PREFIX, prefix: PREFIX }, operations)
    if (root)
      mount(
        { original: flavour, path: '', prefix: '' },
        operations.filter(({ atRoot }) => atRoot === true),
      )
    const attempts = openAttempts(svc as never)
    addEchoBasic(app, svc, attempts)
    const flavours = svc.use('drop-in.flavours')
    const isServed = (name: Served): boolean => flavours !== undefined || hosts.some(({ serve }) => serve === name)
    for (const original of ['httpbin', 'go-httpbin'] as const)
      if (isServed(original)) mount({ original, path: HOST_MOUNTS[original], prefix: '' }, operations)
    if (isServed('echo-basic')) addEchoBasicHost(app, svc, HOST_MOUNTS['echo-basic'], attempts)
    if (flavours !== undefined) addEchoBasicH2c(app, svc, H2C_MOUNT)
    for (const [name, path] of [...Object.entries(HOST_MOUNTS), ['echo-basic-h2c', H2C_MOUNT] as const])
      flavours?.flavour({ name, title: name, mount: path })
    svc.reserve(HOSTS)
    for (const [index, { host, serve }] of hosts.entries())
      svc.serveHost(host, HOST_MOUNTS[serve], { rank: 10, at: `httpbin.hosts[${index}]` })

    function mount(place: Mount, served: readonly Operation[]): void {
      addOperations(app, svc, place, served)
      if (place.original === 'go-httpbin') addWebSocket(app, svc, place)
    }
  },
})

function allOperations(
  images: Readonly<Record<string, Buffer>> | undefined,
  transfer: TransferContent | undefined,
): Operation[] {
  return [
    ...REFLECTION,
    ...CREDENTIALS,
    ...DIGEST,
    ...COOKIES,
    ...REDIRECTS,
    ...STATUS,
    ...pages(transfer?.utf8Page),
    ...ENCODINGS,
    ...CACHING,
    ...RANGES,
    ...RESPONSE_HEADERS,
    ...imageOperations(images),
    ...dataOperations(transfer?.makeBytes),
    ...TIMED,
    ...INSTANCE,
  ]
}
