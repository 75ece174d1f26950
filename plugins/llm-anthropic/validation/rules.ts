/** What the Messages API refuses, in the order of evaluation. */
import type { RuleSource, ValidationLimit, ValidationRule } from '../../llm/types.ts'

const READ = '2026-11-27'
const reference = (title: string, path: string): RuleSource => ({
  title,
  url: `https://platform.claude.com/docs/en/${path}`,
  kind: 'reference',
  read: READ,
})
const API = reference('API reference: create a message', 'api/messages/create')
const CACHING = reference('Guide: prompt caching', 'build-with-claude/prompt-caching')
const THINKING = reference('Guide: extended thinking', 'build-with-claude/extended-thinking')
const VERSIONS = reference('API reference: versions and beta headers', 'api/versioning')
const SIZES = reference('API overview: request size limits', 'api/overview#request-size-limits')
const SDK: RuleSource = {
  title: 'Request types of the official package @anthropic-ai/sdk',
  url: 'https://github.com/anthropics/anthropic-sdk-typescript',
  kind: 'sdk',
  read: READ,
}
function report(thread: string): RuleSource {
  return {
    title: `Error quoted in ${thread}`,
    url: `https://github.com/${thread.replace('#', '/issues/')}`,
    kind: 'report',
    read: READ,
  }
}

/** A gateway of the vendor refuses larger requests before anything of them is read. */
export const MAX_REQUEST_BYTES = 32 * 1024 * 1024

export const MESSAGE_LIMITS: readonly ValidationLimit[] = [
  { what: 'Size of a request, also for counting tokens', value: '32 MB', sources: [SIZES] },
  { what: 'Size of a batch', value: '256 MB', sources: [SIZES] },
  { what: 'Size of a file', value: '500 MB', sources: [SIZES] },
]

export const HEAD_RULES: readonly ValidationRule[] = [
  {
    rule: 'anthropic.request-size',
    phase: 'head',
    confidence: 'documented',
    condition: 'A body of more than 32 MB, if SVC_BODY_LIMIT lets it in.',
    status: 413,
    type: 'request_too_large',
    message: 'Request exceeds the maximum size',
    sources: [SIZES, report('anthropics/anthropic-sdk-python#938'), report('anthropics/claude-code#14567')],
  },
  {
    rule: 'anthropic.version',
    phase: 'head',
    confidence: 'documented',
    condition: 'No header anthropic-version.',
    message: 'anthropic-version: header is required',
    sources: [VERSIONS],
  },
]

export const MESSAGE_RULES: readonly ValidationRule[] = [
  {
    rule: 'anthropic.beta',
    phase: 'head',
    confidence: 'documented',
    condition: 'A value of anthropic-beta that the platform does not know.',
    message:
      'Unexpected value(s) {values} for the `anthropic-beta` header. Please consult our documentation at platform.claude.com/docs or try again without the header.',
    sources: [VERSIONS, SDK],
  },
  {
    rule: 'anthropic.unknown-field',
    phase: 'shape',
    confidence: 'documented',
    condition: 'A member that the API does not know, in the body, a message, a block, a tool or an option.',
    message: '{at}: Extra inputs are not permitted',
    sources: [SDK, report('cg-dot/vertexai-cf-workers#21'), report('vybestack/llxprt-code#1421')],
  },
  {
    rule: 'anthropic.block-type',
    phase: 'shape',
    confidence: 'reported',
    condition: 'A content block of an unknown type.',
    message: "{at}: Input tag '{type}' found using 'type' does not match any of the expected tags",
    sources: [SDK],
  },
  {
    rule: 'anthropic.tool-name',
    phase: 'shape',
    confidence: 'reported',
    condition: 'The name of a tool has other characters than letters, digits, _ and -, or more than 128.',
    message: "{at}: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    sources: [API],
  },
  {
    rule: 'anthropic.tool-duplicate',
    phase: 'shape',
    confidence: 'reported',
    condition: 'Two tools have the same name.',
    message: 'tools: Tool names must be unique.',
    sources: [API],
  },
  {
    rule: 'anthropic.tool-schema',
    phase: 'shape',
    confidence: 'reported',
    condition: 'A tool without input_schema or its type, or with oneOf, allOf or anyOf at its top.',
    message: '{at}: Field required',
    forms: {
      combined: {
        message: '{at}: input_schema does not support oneOf, allOf, or anyOf at the top level',
      },
    },
    sources: [API, SDK],
  },
  {
    rule: 'anthropic.use-input',
    phase: 'shape',
    confidence: 'reported',
    condition: 'The input of a tool_use is not an object.',
    message: '{at}.tool_use.input: Input should be a valid dictionary',
    sources: [SDK],
  },
  {
    rule: 'anthropic.text-empty',
    phase: 'shape',
    confidence: 'reported',
    condition: 'An empty text block.',
    message: 'messages: text content blocks must be non-empty',
    sources: [report('anthropics/claude-code#59812'), report('anthropics/anthropic-sdk-python#461')],
  },
  {
    rule: 'anthropic.text-blank',
    phase: 'shape',
    confidence: 'reported',
    condition: 'A text block of white space.',
    message: 'messages: text content blocks must contain non-whitespace text',
    sources: [report('run-llama/llama_index#17278')],
  },
  {
    rule: 'anthropic.content-empty',
    phase: 'shape',
    confidence: 'reported',
    condition: 'A message without content, except for a last message of the assistant.',
    message: '{at}: all messages must have non-empty content except for the optional final assistant message',
    sources: [report('anthropics/claude-code#6774'), report('glowingjade/obsidian-smart-composer#156')],
  },
  {
    rule: 'anthropic.cache-count',
    phase: 'shape',
    confidence: 'documented',
    condition: 'More than 4 blocks with cache_control.',
    message: 'A maximum of 4 blocks with cache_control may be provided. Found {n}.',
    sources: [CACHING, report('tghamm/Anthropic.SDK#50'), report('agentjido/req_llm#503')],
  },
  {
    rule: 'anthropic.cache-order',
    phase: 'shape',
    confidence: 'reported',
    condition: 'A cache_control of an hour after one of five minutes.',
    message:
      "{at}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.",
    sources: [CACHING],
  },
  {
    rule: 'anthropic.cache-place',
    phase: 'shape',
    confidence: 'reported',
    condition: 'cache_control on an empty text block or on thinking.',
    message: '{at}.text: cache_control cannot be set for empty text blocks',
    forms: { thinking: { message: '{at}.cache_control: Extra inputs are not permitted' } },
    sources: [CACHING],
  },
  {
    rule: 'anthropic.image-media',
    phase: 'shape',
    confidence: 'documented',
    condition: 'An image in base64 of another type than jpeg, png, gif and webp.',
    message:
      "{at}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    sources: [SDK],
  },
  {
    rule: 'anthropic.image-mismatch',
    phase: 'shape',
    confidence: 'reported',
    condition: 'The first bytes of an image are those of another type.',
    message:
      '{at}.image.source.base64: The image was specified using the {media_type} media type, but the image appears to be a {actual} image',
    sources: [API],
  },
  {
    rule: 'anthropic.image-size',
    phase: 'shape',
    confidence: 'reported',
    condition: 'An image of more than 10 MiB.',
    message: '{at}.image.source.base64: image exceeds 10 MB maximum: {n} bytes > 10485760 bytes',
    sources: [reference('Guide: vision', 'build-with-claude/vision')],
  },
  {
    rule: 'anthropic.budget-min',
    phase: 'model',
    confidence: 'documented',
    condition: 'A thinking budget below 1024 tokens.',
    message: 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024',
    sources: [THINKING, SDK],
  },
  {
    rule: 'anthropic.budget-max',
    phase: 'model',
    confidence: 'documented',
    condition: 'A thinking budget that is not below max_tokens, without interleaved thinking.',
    message: '`max_tokens` must be greater than `thinking.budget_tokens`.',
    sources: [THINKING],
  },
  {
    rule: 'anthropic.thinking-enabled',
    phase: 'model',
    confidence: 'documented',
    condition: 'A thinking budget for a model with adaptive thinking only.',
    message:
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    sources: [reference('Guide: adaptive thinking', 'build-with-claude/adaptive-thinking')],
  },
  {
    rule: 'anthropic.thinking-adaptive',
    phase: 'model',
    confidence: 'documented',
    condition: 'Adaptive thinking for Claude up to 4.5.',
    message: 'adaptive thinking is not supported on this model',
    sources: [reference('Guide: adaptive thinking', 'build-with-claude/adaptive-thinking')],
  },
  {
    rule: 'anthropic.thinking-sampling',
    phase: 'model',
    confidence: 'reported',
    condition: 'Thinking with a temperature other than 1, with top_k, or with top_p below 0.95.',
    message: '`temperature` may only be set to 1 when thinking is enabled.',
    forms: {
      top_k: { message: '`top_k` must be unset when thinking is enabled.' },
      top_p: { message: '`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.' },
    },
    sources: [THINKING],
  },
  {
    rule: 'anthropic.thinking-forced',
    phase: 'model',
    confidence: 'documented',
    condition: 'Thinking with a tool_choice that forces a call.',
    message: 'Thinking may not be enabled when tool_choice forces tool use.',
    sources: [THINKING],
  },
  {
    rule: 'anthropic.sampling',
    phase: 'model',
    confidence: 'reported',
    condition: 'A temperature or top_p other than 1, or top_k, for Claude 4.7 and later.',
    message: '`{at}` is deprecated for this model.',
    sources: [
      report('UKGovernmentBEIS/inspect_ai#3721'),
      report('sipeed/picoclaw#2939'),
      report('expectedparrot/edsl#2458'),
    ],
  },
  {
    rule: 'anthropic.prefill',
    phase: 'model',
    confidence: 'documented',
    condition: 'The last message is from the assistant, for Claude 4.6 and later.',
    message: 'This model does not support assistant message prefill. The conversation must end with a user message.',
    sources: [API, report('smallmain/vscode-unify-chat-provider#249'), report('cortexkit/magic-context#511')],
  },
  {
    rule: 'anthropic.use-unanswered',
    phase: 'conversation',
    confidence: 'reported',
    condition: 'A tool_use without a tool_result in the next message.',
    message:
      '{at}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
    sources: [report('anthropics/claude-code#5989'), report('Kilo-Org/kilocode#5163')],
  },
  {
    rule: 'anthropic.result-orphan',
    phase: 'conversation',
    confidence: 'reported',
    condition: 'A tool_result whose call is not in the message before.',
    message:
      '{at}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
    sources: [report('decocms/studio#1803'), report('router-for-me/CLIProxyAPI#497')],
  },
  {
    rule: 'anthropic.result-twice',
    phase: 'conversation',
    confidence: 'reported',
    condition: 'Two results for one call.',
    message: '{at}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}',
    sources: [API],
  },
  {
    rule: 'anthropic.use-duplicate',
    phase: 'conversation',
    confidence: 'reported',
    condition: 'The same id of a tool_use twice.',
    message: '{at}: `tool_use` ids must be unique',
    sources: [API],
  },
  {
    rule: 'anthropic.signature-missing',
    phase: 'conversation',
    confidence: 'documented',
    condition: 'A thinking block without a signature.',
    message: '{at}.thinking.signature: Field required',
    sources: [SDK],
  },
  {
    rule: 'anthropic.signature',
    phase: 'conversation',
    confidence: 'documented',
    condition: 'A signature or redacted thinking that was not issued by this server, or for another text.',
    message: '{at}: Invalid `signature` in `thinking` block',
    forms: { redacted: { message: '{at}: Invalid `data` in `redacted_thinking` block' } },
    sources: [THINKING, report('lbjlaq/Antigravity-Manager#498'), report('ding113/claude-code-hub#518')],
  },
  {
    rule: 'anthropic.thinking-bound',
    phase: 'conversation',
    confidence: 'documented',
    condition:
      'For Claude models that bind thinking to its conversation: system, tools or messages before the block have changed, without the option drop_block.',
    message:
      '{at}: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
    sources: [
      reference('Guide: preserved thinking', 'build-with-claude/preserved-thinking'),
      reference(
        'Guide: fix a thinking block bound to a different conversation',
        'build-with-claude/preserved-thinking/fix-bound-to-a-different-conversation',
      ),
    ],
  },
  {
    rule: 'anthropic.thinking-modified',
    phase: 'conversation',
    confidence: 'documented',
    condition: 'The text of a thinking block in the latest message of the assistant was changed.',
    message:
      '{at}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.',
    sources: [THINKING],
  },
  {
    rule: 'anthropic.thinking-first',
    phase: 'conversation',
    // The guide says that the API now turns thinking off for such a request, while the error is still reported.
    confidence: 'assumed',
    condition: 'With thinking, a turn that ends in tool results does not begin with a thinking block.',
    message:
      '{at}.type: Expected `thinking` or `redacted_thinking`, but found `{type}`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking',
    sources: [THINKING, report('lbjlaq/Antigravity-Manager#139'), report('anomalyco/opencode#3077')],
  },
]

export const BEDROCK_RULES: readonly ValidationRule[] = [
  {
    rule: 'invoke.extraneous',
    phase: 'shape',
    confidence: 'reported',
    condition: 'The body has a model or stream, which are in the path on Amazon Bedrock.',
    message:
      'Malformed input request: #: extraneous key [{at}] is not permitted, please reformat your input and try again.',
    sources: [
      {
        title: 'Anthropic Claude Messages API on Amazon Bedrock: request',
        url: 'https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html',
        kind: 'reference',
        read: READ,
      },
    ],
  },
]

export const VERTEX_RULES: readonly ValidationRule[] = [
  {
    rule: 'vertex.model-field',
    phase: 'shape',
    confidence: 'reported',
    condition: 'The body has a model, which is in the path on Vertex AI.',
    message: 'model: Extra inputs are not permitted',
    sources: [
      {
        title: 'Claude on Vertex AI: differences from the Messages API',
        url: 'https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai',
        kind: 'reference',
        read: READ,
      },
    ],
  },
]
