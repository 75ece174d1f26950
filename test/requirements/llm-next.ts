/** The realism of the mock LLM: what it counts, how its streams look, its speed and its limits. */
export default [
  {
    id: 'LLMN-1',
    rule: 'the ledger counts what was written to the connection: a stream that was cut counts the tokens before the cut',
    where: 'llm-next 2',
  },
  {
    id: 'LLMN-2',
    rule: 'the ledger is grouped and filtered by provider, model, key, session, operation, status and time',
    where: 'llm-next 2',
  },
  {
    id: 'LLMN-3',
    rule: 'attempts are counted by request id, idempotency key or the count of an SDK',
    where: 'llm-next 2',
  },
  { id: 'LLMN-4', rule: 'the ledger as CSV follows RFC 4180 and contains no formulas', where: 'llm-next 2' },
  { id: 'LLMN-5', rule: 'costs follow the first price that matches a call', where: 'llm-next 2' },
  {
    id: 'LLMN-6',
    rule: 'in public mode, the ledger shows only the sessions of the caller and no keys',
    where: 'llm-next 2',
  },
]
