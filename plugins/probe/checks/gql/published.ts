/** What of the graph clients can see. */
import { fail, note, pass, skip, warn, type Check } from '../../catalog/check.ts'
import { answerOf, saidBy, valueAt } from './answers.ts'
import { graphCheck } from './graph-check.ts'

export const GQL_INTROSPECTION = graphCheck({
  id: 'GQL-INTROSPECTION',
  title: 'Introspection',
  level: 'observation',
  page: {
    sent: 'An introspection, a misspelt field, `_service` and `_entities`.',
    expected: 'Errors for `_service` and `_entities`, which belong to subgraphs.',
    why: 'Whether the schema can be read is a choice. With `_entities`, clients could reach any entity without the rules of the gateway.',
  },
  steps: () => [
    { label: 'schema', query: '{ __schema { queryType { name } } }' },
    { label: 'misspelt', query: '{ user(id: "u1") { nmae } }' },
    { label: 'service', query: '{ _service { sdl } }' },
    {
      label: 'entities',
      query: 'query($r: [_Any!]!) { _entities(representations: $r) { __typename } }',
      variables: { r: [{ __typename: 'User', id: 'u1' }] },
    },
  ],
  judge(evidence) {
    const [schema, misspelt, service, entities] = ['schema', 'misspelt', 'service', 'entities'].map(label =>
      answerOf(evidence.call(label)),
    )
    const reached = [
      ...(typeof valueAt(service!.data, '_service', 'sdl') === 'string' ? ['_service'] : []),
      ...(Array.isArray(valueAt(entities!.data, '_entities')) ? ['_entities'] : []),
    ]
    if (reached.length > 0) return warn(`clients reach ${reached.join(' and ')}`)
    const isOn = typeof valueAt(schema!.data, '__schema', 'queryType', 'name') === 'string'
    const suggests = misspelt!.errors.some(({ message }) => /did you mean/i.test(message))
    return note(isOn ? 'on' : suggests ? 'off, names suggested' : 'off', { introspection: isOn, suggests })
  },
})

export const GQL_HIDDEN = graphCheck({
  id: 'GQL-HIDDEN',
  title: 'Inaccessible fields',
  level: 'must',
  impact: 'high',
  sources: [{ spec: 'Apollo Federation' }],
  page: {
    sent: 'A query for `unit`, which the supergraph marks with `@inaccessible`.',
    expected: 'An error: the field is not in the schema of clients.',
    why: 'Teams mark fields that are not, or not yet, for clients.',
  },
  steps: () => [{ label: 'hidden', query: '{ products(limit: 1) { id dimensions { unit } } }' }],
  judge(evidence) {
    const answer = answerOf(evidence.call('hidden'))
    if (valueAt(answer.data, 'products', 0, 'dimensions', 'unit') !== undefined)
      return fail('Dimensions.unit is served')
    return answer.errors.length > 0 ? pass() : skip(`neither data nor an error: ${saidBy(answer)}`)
  },
})

export const PUBLISHED_CHECKS: readonly Check[] = [GQL_INTROSPECTION, GQL_HIDDEN]
