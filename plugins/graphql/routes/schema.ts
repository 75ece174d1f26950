/** `GET /graphql/schema`: the schema as text. */
import { printSchema, type GraphQLSchema } from 'graphql'
import { describe, type FastifyInstance } from 'svc/plugin'
import { lazy } from '../lazy.ts'

const description = describe({
  summary: 'Get the GraphQL schema (SDL)',
  category: 'GraphQL',
  responses: {
    200: { description: 'The schema; the same as in introspection', content: { 'text/plain': { type: 'string' } } },
  },
  examples: [{ name: 'Schema', path: '/graphql/schema', expectStatus: 200 }],
})

export function registerSchema(app: FastifyInstance, schemaOf: () => GraphQLSchema): void {
  const text = lazy(() => `${printSchema(schemaOf())}\n`)
  app.get('/graphql/schema', description, (_request, reply) => reply.type('text/plain; charset=utf-8').send(text()))
}
