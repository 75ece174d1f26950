/** `POST /orchestration/step/1` to `/4`. */
import { randomBytes, randomUUID } from 'node:crypto'
import {
  describe,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteDescription,
  type Svc,
} from 'svc/plugin'
import { badRequest, transactionDenied, unauthorized } from '../errors.ts'
import { isText, readPayment, type Payment } from '../payment.ts'
import { riskScore, cardType, RISK_THRESHOLD, riskLevel } from '../risk-score.ts'
import { STEPS, type Step } from '../steps.ts'
import { validate } from '../validation.ts'
import { STEP } from '../replies.ts'

const SUMMARIES: Record<Step['name'], string> = {
  authenticate: 'Step 1: authenticate the merchant',
  enrich: 'Step 2: add a risk score and card details',
  validate: 'Step 3: apply the validation rules',
  process: 'Step 4: process the payment',
}
const EXAMPLE_VALUES: Record<string, string> = {
  'X-Api-Key': 'demo-key',
  'X-Correlation-Id': 'demo-corr-1',
  'X-Validation-Result': 'approved',
}

function describeStep({ name, required_headers: headers, path, example_body: body }: Step): RouteDescription {
  return {
    category: 'Orchestration',
    summary: SUMMARIES[name],
    reply: STEP,
    negotiated: true,
    ...(name === 'authenticate' ? { credentials: ['apiKey'] as const } : {}),
    parameters: headers.map(header => ({ name: header, in: 'header', required: true, schema: { type: 'string' } })),
    requestBody: { content: { 'application/json': { type: 'object' } } },
    responses: {
      200: { description: 'The result of the step' },
      400: { description: 'A header or a member of the body is missing or invalid' },
      ...(name === 'authenticate' ? { 401: { description: 'The API key is missing' } } : {}),
      ...(name === 'process' ? { 403: { description: 'The transaction is not approved' } } : {}),
    },
    examples: [
      {
        name: 'With the result of the previous step',
        method: 'POST',
        path,
        headers: [
          { name: 'Content-Type', value: 'application/json' },
          ...headers.map(header => ({ name: header, value: EXAMPLE_VALUES[header]! })),
        ],
        body: JSON.stringify(body),
        bodyType: 'json',
        expectStatus: 200,
      },
    ],
  }
}

/** The members that a step adds to the response, and its correlation id. */
type StepHandler = (
  payment: Payment,
  request: FastifyRequest,
  reply: FastifyReply,
) => { correlationId: string; part: Record<string, unknown> }

const STEP_HANDLERS: Record<Step['name'], StepHandler> = {
  authenticate({ merchantId }) {
    if (merchantId === undefined || !isText(merchantId))
      throw badRequest('missing or invalid merchant_id (expected a string of 1 to 128 characters)')
    const merchant = { id: merchantId, name: 'Demo Merchant Ltd', tier: 'gold', mcc: '5411', country: 'GB' }
    return { correlationId: randomUUID(), part: { merchant, permissions: ['card_payment', 'direct_debit', 'refund'] } }
  },
  enrich(payment, request) {
    const correlationId = correlationIdOf(request)
    return { correlationId, part: { enrichment: enrich(payment, riskScore({ correlationId, ...payment })) } }
  },
  validate(payment, request, reply) {
    const correlationId = correlationIdOf(request)
    const validation = validate(payment, payment.riskScore ?? riskScore({ correlationId, ...payment }))
    reply.header('X-Validation-Result', validation.result)
    return { correlationId, part: { validation } }
  },
  process({ merchantId = 'unknown', amount = 0, currency = 'GBP' }, request) {
    const correlationId = correlationIdOf(request)
    if (String(request.headers['x-validation-result']).trim().toLowerCase() !== 'approved') throw transactionDenied()
    const transaction = {
      id: randomUUID(),
      merchant_id: merchantId,
      amount,
      currency,
      status: 'completed',
      authorization_code: `AUTH-${randomBytes(3).toString('hex').toUpperCase()}`,
      processor_response: { code: '00', message: 'Approved' },
    }
    return { correlationId, part: { transaction } }
  },
}

function correlationIdOf(request: FastifyRequest): string {
  const id = request.headers['x-correlation-id']
  if (typeof id === 'string' && isText(id)) return id
  throw badRequest(
    'missing or invalid correlation id (expected the header X-Correlation-Id of 1 to 128 characters from step 1)',
  )
}

/** Checks the key first, so that errors of the body are not visible without a key. */
function requireApiKey(request: FastifyRequest): void {
  const key = request.headers['x-api-key']
  if (typeof key !== 'string' || !isText(key)) throw unauthorized()
}

export function registerSteps(app: FastifyInstance, svc: Svc): void {
  for (const step of STEPS) {
    app.post(step.path, describe(describeStep(step)), (request, reply) => {
      if (step.name === 'authenticate') requireApiKey(request)
      else correlationIdOf(request)
      const { correlationId, part } = STEP_HANDLERS[step.name](readPayment(svc.http.body(request)), request, reply)
      reply.header('X-Correlation-Id', correlationId)
      return svc.http.negotiate(request, reply, {
        step: step.step,
        name: step.name,
        status: 'success',
        correlation_id: correlationId,
        timestamp: new Date().toISOString(),
        ...part,
      })
    })
  }
}

/** Derived only from the score and the card, so that a repeated call gets the same result. */
function enrich({ amount = 0, card }: Payment, score: number) {
  const transactions = 1 + (score % 10)
  return {
    risk_score: score,
    risk_level: riskLevel(score),
    risk_threshold: RISK_THRESHOLD,
    card_type: cardType(card),
    issuing_bank: 'Demo Bank',
    issuing_country: 'GB',
    customer_tier: 'premium',
    velocity_check: {
      transactions_24h: transactions,
      amount_24h: Math.round(Math.min(amount * transactions, Number.MAX_VALUE / 100) * 100) / 100,
      flagged: score >= RISK_THRESHOLD,
    },
  }
}
