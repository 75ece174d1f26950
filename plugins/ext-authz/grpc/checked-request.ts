/** Reads the checked request of a `CheckRequest`. */
import type { GivenRequest } from '../../gateway-services/types.ts'
import type { CheckRequest, HttpRequest } from './messages.ts'

/** `fallbackIp` is the address of the gateway, for calls that name no source. A check of a connection has no request: `/`. */
export function readChecked({ attributes }: CheckRequest, fallbackIp: string): GivenRequest {
  const http = attributes?.request?.http
  const address = attributes?.source?.address?.socket_address?.address
  return {
    method: http?.method ?? '',
    url: http == null || http.path === '' ? '/' : http.path,
    scheme: http?.scheme === 'https' ? 'https' : 'http',
    clientIp: address === undefined || address === '' ? fallbackIp : address,
    rawHeaders: http == null ? [] : headersOf(http),
    body: http == null ? Buffer.alloc(0) : bodyOf(http),
  }
}

function headersOf({ headers, header_map: map, host }: HttpRequest): string[] {
  const listed = map?.headers ?? []
  const lines: [name: string, value: string][] =
    listed.length > 0
      ? listed.map(({ key, value, raw_value: raw }) => [key, raw?.length ? raw.toString('latin1') : value])
      : headers.map(({ key, value }) => [key, value])
  const own = host === '' ? lines.find(([name]) => name.toLowerCase() === ':authority')?.[1] : host
  const rest = lines.filter(([name]) => !name.startsWith(':') && (own === undefined || name.toLowerCase() !== 'host'))
  return [...(own === undefined ? [] : ['host', own]), ...rest.flat()]
}

function bodyOf({ body, raw_body: raw }: HttpRequest): Buffer {
  return raw.length > 0 ? raw : Buffer.from(body)
}
