/** Guardrails: detectors and the shapes around them. */
export default [
  {
    id: 'GUARD-1',
    rule: 'offsets and lengths count code points, also where a text has characters beyond the basic plane',
    where: 'guardrails 1',
  },
  { id: 'GUARD-2', rule: 'terms match whole words in any case, any white space inside', where: 'guardrails 1, 2.1' },
  {
    id: 'GUARD-3',
    rule: 'prompt injection follows the nine rules, words separated by white space only',
    where: 'guardrails 2.2',
  },
  { id: 'GUARD-4', rule: 'e-mail addresses', where: 'guardrails 2.4' },
  { id: 'GUARD-5', rule: 'card numbers by Luhn, whole groups, one separator', where: 'guardrails 2.4' },
  { id: 'GUARD-6', rule: 'US social security numbers', where: 'guardrails 2.4' },
  { id: 'GUARD-7', rule: 'IPv4 and IPv6 addresses', where: 'guardrails 2.4' },
  { id: 'GUARD-8', rule: 'phone numbers, North American and international', where: 'guardrails 2.4' },
  { id: 'GUARD-9', rule: 'of overlapping personal data the earlier type wins', where: 'guardrails 2.4' },
  { id: 'GUARD-10', rule: 'Azure: categories, blocklists, severity levels, shield', where: 'guardrails 3' },
  { id: 'GUARD-11', rule: 'Azure: errors with code, target and header', where: 'guardrails 3' },
  { id: 'GUARD-12', rule: 'Bedrock: blocked, masked, none, with assessments', where: 'guardrails 4' },
  { id: 'GUARD-13', rule: 'Bedrock: ValidationException for bad bodies', where: 'guardrails 4' },
  {
    id: 'GUARD-14',
    rule: 'check gives everything; lists are cut at 1,000, decisions are not',
    where: 'guardrails 1, 5',
  },
  { id: 'GUARD-15', rule: 'redact labels or masks the asked types, JSON or text', where: 'guardrails 5' },
  { id: 'GUARD-16', rule: 'generic routes refuse with a code and a sentence', where: 'guardrails 5' },
  {
    id: 'GUARD-17',
    rule: 'other plugins add detectors, a taken id is an error that names both',
    where: 'guardrails 2',
  },
  { id: 'GUARD-18', rule: 'a mebibyte of any content, hostile included, is answered', where: 'guardrails 1' },
  { id: 'GUARD-20', rule: 'GET /guardrails lists the checks', where: 'guardrails 1' },
  {
    id: 'GUARD-21',
    rule: 'Azure: blocklists are made, filled, paged and deleted, and text:analyze consults them',
    where: 'guardrails 3, 7',
  },
  {
    id: 'GUARD-22',
    rule: 'Azure: what is kept of blocklists is bounded, and searched in time linear to the text',
    where: 'guardrails 1, 7',
  },
  { id: 'GUARD-19', rule: "the vendors' clients read answers and errors", where: 'guardrails 6' },
]
