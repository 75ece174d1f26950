/** Guardrails: the detectors and the APIs that use them. */
export default [
  {
    id: 'GUARD-1',
    rule: 'offsets and lengths count code points, also for characters outside the Basic Multilingual Plane',
    where: 'guardrails 1',
  },
  {
    id: 'GUARD-2',
    rule: 'terms match whole words in any case, with any white space between words',
    where: 'guardrails 1, 2.1',
  },
  {
    id: 'GUARD-3',
    rule: 'prompt injection follows nine rules for words separated by white space',
    where: 'guardrails 2.2',
  },
  { id: 'GUARD-4', rule: 'e-mail addresses', where: 'guardrails 2.4' },
  { id: 'GUARD-5', rule: 'card numbers by Luhn, whole groups, one separator', where: 'guardrails 2.4' },
  { id: 'GUARD-6', rule: 'US social security numbers', where: 'guardrails 2.4' },
  { id: 'GUARD-7', rule: 'IPv4 and IPv6 addresses', where: 'guardrails 2.4' },
  { id: 'GUARD-8', rule: 'phone numbers, North American and international', where: 'guardrails 2.4' },
  { id: 'GUARD-9', rule: 'if personal data overlaps, the earlier type wins', where: 'guardrails 2.4' },
  { id: 'GUARD-10', rule: 'Azure: categories, blocklists, severity levels, shield', where: 'guardrails 3' },
  { id: 'GUARD-11', rule: 'Azure: errors with code, target and header', where: 'guardrails 3' },
  { id: 'GUARD-12', rule: 'Bedrock: blocked, masked, none, with assessments', where: 'guardrails 4' },
  { id: 'GUARD-13', rule: 'Bedrock: ValidationException for bad bodies', where: 'guardrails 4' },
  {
    id: 'GUARD-14',
    rule: 'check returns all findings; lists are cut at 1,000 matches, decisions use all of them',
    where: 'guardrails 1, 5',
  },
  { id: 'GUARD-15', rule: 'redact labels or masks the requested types, in JSON or plain text', where: 'guardrails 5' },
  { id: 'GUARD-16', rule: 'generic routes return errors with a code and a message', where: 'guardrails 5' },
  {
    id: 'GUARD-17',
    rule: 'other plugins add detectors; the error for a duplicate id names both plugins',
    where: 'guardrails 2',
  },
  { id: 'GUARD-18', rule: 'a mebibyte of any content, even hostile, gets a response', where: 'guardrails 1' },
  { id: 'GUARD-20', rule: 'GET /guardrails lists the checks', where: 'guardrails 1' },
  {
    id: 'GUARD-21',
    rule: 'Azure: blocklists are created, filled, paginated and deleted, and text:analyze uses them',
    where: 'guardrails 3, 7',
  },
  {
    id: 'GUARD-22',
    rule: 'Azure: the size of blocklists is bounded, and they are searched in linear time',
    where: 'guardrails 1, 7',
  },
  {
    id: 'GUARD-23',
    rule: 'the APIs of agentgateway, LiteLLM, Lakera, Presidio, Comprehend, F5, Model Armor and Portkey allow, redact and block',
    where: 'gateway-services 7',
  },
  {
    id: 'GUARD-24',
    rule: "their errors have the vendor's form, also for unknown paths and methods",
    where: 'gateway-services 7',
  },
  {
    id: 'GUARD-25',
    rule: 'a host has such an API at its root, and its calls are records of the service guardrail',
    where: 'gateway-services 7',
  },
  { id: 'GUARD-19', rule: "the vendors' clients parse responses and errors", where: 'guardrails 6' },
]
