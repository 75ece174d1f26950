/** The command line as the report shows it. */
import { shownPatterns } from '../pairs/pair.ts'
import type { ProbeOptions } from './options.ts'

/** The arguments that matter for a second run; credentials are masked. */
export function reportedArguments(options: ProbeOptions): string[] {
  return [
    options.gateway.url,
    ...(options.prefix === '' ? [] : ['--prefix', options.prefix]),
    ...options.upstreams.flatMap(({ url }) => ['--upstream', url]),
    ...(options.listen === null ? [] : listenArguments(options.listen)),
    ...(options.groups === null ? [] : ['--groups', options.groups.join(',')]),
    ...(options.ids === null ? [] : ['--checks', options.ids.join(',')]),
    ...(options.pairs === null ? [] : ['--pairs', shownPatterns(options.pairs)!.join(',')]),
    ...(options.isHostile ? ['--hostile'] : []),
    ...(options.isSlow ? ['--slow'] : []),
    ...(options.isHttp2 ? ['--h2'] : []),
    ...(options.host === null ? [] : ['--host', options.host]),
    ...(options.routes === null ? [] : ['--routes', options.routes]),
    ...(options.ca === null ? [] : ['--ca', options.ca]),
    ...(options.isInsecure ? ['--insecure'] : []),
    ...options.fields.flatMap(([name]) => ['--header', `${name}: ***`]),
  ]
}

/** Ports of which the gateway may know; free ones are not part of it. */
function listenArguments({ host, http, https, grpc }: NonNullable<ProbeOptions['listen']>): string[] {
  return [
    '--listen',
    `${host.includes(':') ? `[${host}]` : host}:${http}`,
    ...(https === 0 ? [] : ['--listen-https', String(https)]),
    ...(grpc === 0 ? [] : ['--listen-grpc', String(grpc)]),
  ]
}
