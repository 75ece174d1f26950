/** `/gzip`, `/deflate`, `/brotli`, `/zstd`: an echo that is always compressed, whatever the client accepts. */
import { describe, type FastifyInstance, type RouteDescription, type Svc } from 'svc/plugin'
import { createCodings, type Coding } from '../compression.ts'
import { joinHeaders } from '../joined-headers.ts'

function describeCoding({ name, flag, token }: Coding): RouteDescription {
  return {
    category: 'Response Shaping',
    summary: `Get a body compressed with ${name}`,
    description: `Sends \`Content-Encoding: ${token}\` whatever \`Accept-Encoding\` is.`,
    responses: {
      200: {
        description: `\`${flag}\`, method, headers and origin of the request`,
        content: { 'application/json': { type: 'object' } },
      },
    },
    examples: [
      { name: 'Compressed', path: `/${name}`, headers: [{ name: 'Accept-Encoding', value: token }], expectStatus: 200 },
    ],
  }
}

export function registerCompression(app: FastifyInstance, svc: Svc): void {
  for (const coding of createCodings()) {
    app.get(`/${coding.name}`, describe(describeCoding(coding)), async (request, reply) => {
      const text = JSON.stringify({
        [coding.flag]: true,
        method: request.method,
        headers: joinHeaders(request.raw.rawHeaders),
        origin: svc.http.clientIp(request),
      })
      reply.headers({ 'Content-Type': 'application/json', 'Content-Encoding': coding.token, Vary: 'Accept-Encoding' })
      return reply.send(await coding.encode(text))
    })
  }
}
