/** Standard Fastify features: schemas, cookies, a file upload, decorators, `request.log`, errors with a status. */
import cookie from '@fastify/cookie'
import multipart from '@fastify/multipart'
import { definePlugin, describe, type FastifyReply, type FastifyRequest } from 'svc/plugin'

interface Postcard {
  id: number
  to: string
  text: string
  from: string
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The sender, from the cookie `sender`. */
    sender: string
  }
}

/** Response schema of a postcard: other members are not sent. */
const POSTCARD = {
  type: 'object',
  properties: { id: { type: 'integer' }, to: { type: 'string' }, text: { type: 'string' } },
}

export default definePlugin({
  title: 'Postcards',
  description: 'Stores postcards and their pictures.',
  paths: ['/postcards'],
  async register(app, svc) {
    const cards = svc.state<Postcard>('cards', { maxCount: 1000, ttlMs: 3_600_000 })
    const numbers = svc.state<number>('numbers', { maxCount: 1 })

    await app.register(cookie)
    app.decorateRequest('sender', '')
    app.addHook('preHandler', async request => {
      request.sender = request.cookies.sender ?? 'anonymous'
    })

    app.post<{ Body: { to: string; text: string } }>(
      '/postcards',
      {
        ...describe({
          summary: 'Write a postcard',
          category: 'Postcards',
          responses: { 201: { description: 'The postcard' }, 400: { description: 'The recipient is missing' } },
          examples: [
            {
              name: 'To Ada',
              method: 'POST',
              path: '/postcards',
              body: '{"to":"Ada"}',
              bodyType: 'json',
              expectStatus: 201,
            },
          ],
        }),
        schema: {
          body: {
            type: 'object',
            required: ['to'],
            additionalProperties: false,
            properties: {
              to: { type: 'string', minLength: 1, maxLength: 100 },
              text: { type: 'string', maxLength: 1000, default: 'Greetings from the sea!' },
            },
          },
          response: { 201: POSTCARD },
        },
      },
      async (request, reply) => {
        const id = (await numbers.update('last', last => (last ?? 0) + 1)) ?? 1
        const card: Postcard = { id, ...request.body, from: request.sender }
        await cards.set(String(id), card)
        request.log.info({ card: id }, 'postcard written')
        reply.setCookie('last_card', String(id), { path: '/postcards', httpOnly: true })
        return reply.code(201).send(card)
      },
    )

    app.get<{ Params: { id: number } }>(
      '/postcards/:id',
      {
        ...describe({
          summary: 'Read a postcard',
          category: 'Postcards',
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } }],
          responses: { 200: { description: 'The postcard' }, 404: { description: 'No postcard has this id' } },
          examples: [{ name: 'Unknown postcard', path: '/postcards/999', expectStatus: 404 }],
        }),
        schema: {
          params: { type: 'object', properties: { id: { type: 'integer', minimum: 1 } } },
          response: { 200: POSTCARD },
        },
      },
      async request => {
        const card = await cards.get(String(request.params.id))
        if (card === undefined)
          throw Object.assign(new Error(`there is no postcard ${request.params.id}`), { statusCode: 404 })
        return card
      },
    )

    // Parsers belong to a scope: only the routes in this scope accept multipart forms.
    await app.register(
      async pictures => {
        await pictures.register(multipart, { limits: { files: 1, fileSize: 100_000 } })
        pictures.put<{ Params: { id: string } }>(
          '/:id/picture',
          describe({
            summary: 'Put a picture on a postcard',
            category: 'Postcards',
            parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } }],
            responses: {
              200: { description: 'Name, type and size of the picture' },
              400: { description: 'The form is malformed' },
              406: { description: 'The body is not a form' },
              413: { description: 'The picture is too large' },
            },
            examples: [],
          }),
          (request, reply) => receivePicture(request, reply),
        )
      },
      { prefix: '/postcards' },
    )
  },
})

async function receivePicture(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const picture = await request.file().catch(brokenForm)
  if (picture === undefined) throw Object.assign(new Error('expected a form with one file'), { statusCode: 400 })
  const bytes = await picture.toBuffer().catch(brokenForm)
  request.log.info('picture of %d bytes', bytes.length)
  return reply.send({ name: picture.filename, type: picture.mimetype, bytes: bytes.length })
}

/** The package sets a status on errors about limits, but not on errors about malformed forms. */
function brokenForm(error: Error & { statusCode?: number }): never {
  throw Object.assign(error, { statusCode: error.statusCode ?? 400 })
}
