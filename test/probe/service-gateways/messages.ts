/** Requests and responses of the toy gateway. */
import { request as httpRequest } from 'node:http'

export type Fields = [name: string, value: string][]

export interface Message {
  method: string
  target: string
  fields: Fields
  body: Buffer
}

export interface Reply {
  status: number
  fields: Fields
  body: Buffer
}

/** Names and values, alternating. */
export function pairsOf(rawHeaders: readonly string[]): Fields {
  return rawHeaders.flatMap((name, index): Fields => (index % 2 === 0 ? [[name, rawHeaders[index + 1]!]] : []))
}

const OF_CONNECTION = /^(?:connection|keep-alive|transfer-encoding|content-length|te|upgrade)$/i
export const withoutFraming = (fields: Fields): Fields => fields.filter(([name]) => !OF_CONNECTION.test(name))

export function valueOf(fields: Fields, name: string): string | undefined {
  return fields.find(([found]) => found.toLowerCase() === name)?.[1]
}

export function withField(fields: Fields, name: string, value: string | null): Fields {
  const others = fields.filter(([found]) => found.toLowerCase() !== name.toLowerCase())
  return value === null ? others : [...others, [name, value]]
}

/** Rejects if there is no whole response within the time. */
export function exchange(port: number, { method, target, fields, body }: Message, timeoutMs: number): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      {
        port,
        method,
        path: target,
        agent: false,
        headers: [
          ...withField(withoutFraming(fields), 'Host', valueOf(fields, 'host') ?? 'svc'),
          ...(body.length > 0 ? [['Content-Length', String(body.length)]] : []),
        ].flat(),
        signal: AbortSignal.timeout(timeoutMs),
      },
      response => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode!,
            fields: withoutFraming(pairsOf(response.rawHeaders)),
            body: Buffer.concat(chunks),
          }),
        )
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}
