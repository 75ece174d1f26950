/** Names and inputs of the four steps, for `/orchestration/status` and the route descriptions. */

export interface Step {
  step: 1 | 2 | 3 | 4
  name: 'authenticate' | 'enrich' | 'validate' | 'process'
  method: 'POST'
  path: string
  required_headers: string[]
  example_body: Record<string, unknown>
  output_keys: string[]
}

const always = ['step', 'name', 'status', 'correlation_id', 'timestamp']

export const STEPS: readonly Step[] = [
  {
    step: 1,
    name: 'authenticate',
    method: 'POST',
    path: '/orchestration/step/1',
    required_headers: ['X-Api-Key'],
    example_body: { merchant_id: 'merchant_123' },
    output_keys: [...always, 'merchant', 'permissions'],
  },
  {
    step: 2,
    name: 'enrich',
    method: 'POST',
    path: '/orchestration/step/2',
    required_headers: ['X-Correlation-Id'],
    example_body: { merchant_id: 'merchant_123', amount: 99.99, currency: 'GBP', card_number: '4111 1111 1111 1111' },
    output_keys: [...always, 'enrichment'],
  },
  {
    step: 3,
    name: 'validate',
    method: 'POST',
    path: '/orchestration/step/3',
    required_headers: ['X-Correlation-Id'],
    example_body: { amount: 99.99, risk_score: 35, permissions: ['card_payment'] },
    output_keys: [...always, 'validation'],
  },
  {
    step: 4,
    name: 'process',
    method: 'POST',
    path: '/orchestration/step/4',
    required_headers: ['X-Correlation-Id', 'X-Validation-Result'],
    example_body: { merchant_id: 'merchant_123', amount: 99.99, currency: 'GBP' },
    output_keys: [...always, 'transaction'],
  },
]

export const PIPELINE =
  'A payment in four calls. Step 1 returns a correlation id, which steps 2 to 4 need in X-Correlation-Id; step 3 returns X-Validation-Result, which step 4 needs.'
