/** Members and values that the Messages API takes: those of the official package's types, stable and beta. */
import type { ValidationList } from '../../llm/types.ts'

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '))

export const BODY_MEMBERS = set(
  'max_tokens messages model billing_policy cache_control compaction container context_management diagnostics ' +
    'fallback_credit_token fallbacks inference_geo mcp_servers metadata output_config output_format service_tier speed ' +
    'stop_sequences stream system temperature thinking thread tool_choice tools top_k top_p user_profile_id workspace_id',
)

export const MESSAGE_MEMBERS = set('role content output_config clear_at')
export const TOOL_MEMBERS = set(
  'name description input_schema type cache_control strict defer_loading allowed_callers eager_input_streaming input_examples',
)
export const CACHE_MEMBERS = set('type ttl scope')
export const METADATA_MEMBERS = set('user_id')
export const THINKING_MEMBERS: Readonly<Record<string, ReadonlySet<string>>> = {
  enabled: set('type budget_tokens display block_binding'),
  adaptive: set('type display block_binding'),
  disabled: set('type'),
}
export const CHOICE_MEMBERS: Readonly<Record<string, ReadonlySet<string>>> = {
  auto: set('type disable_parallel_tool_use'),
  any: set('type disable_parallel_tool_use'),
  tool: set('type name disable_parallel_tool_use'),
  none: set('type'),
}

/** Of the blocks that applications write themselves. Of others only the type is judged. */
export const BLOCK_MEMBERS: Readonly<Record<string, ReadonlySet<string>>> = {
  text: set('type text cache_control citations'),
  image: set('type source cache_control transformations'),
  document: set('type source cache_control citations context title'),
  thinking: set('type thinking signature'),
  redacted_thinking: set('type data'),
  tool_use: set('type id name input cache_control caller toolset_name'),
  tool_result: set('type tool_use_id content is_error cache_control toolset_name'),
}

export const BLOCK_TYPES = set(
  'text image document search_result thinking redacted_thinking tool_use tool_result server_tool_use web_search_tool_result ' +
    'web_fetch_tool_result code_execution_tool_result bash_code_execution_tool_result ' +
    'text_editor_code_execution_tool_result tool_search_tool_result container_upload advisor_tool_result mcp_tool_use ' +
    'mcp_tool_result mcp_tool_listing compaction tool_addition tool_removal fallback',
)

export const BETAS: ValidationList = {
  list: 'anthropic-beta',
  version: '@anthropic-ai/sdk 1.14, and what current clients send',
  date: '2026-11-27',
  values: (
    'computer-use-2024-10-22 computer-use-2025-01-24 output-128k-2025-02-19 mcp-client-2025-04-04 mcp-client-2025-11-20 ' +
    'dev-full-thinking-2025-05-14 interleaved-thinking-2025-05-14 code-execution-2025-05-22 context-1m-2025-08-07 ' +
    'context-management-2025-06-27 model-context-window-exceeded-2025-08-26 fast-mode-2026-02-01 output-300k-2026-03-24 ' +
    'user-profiles-2026-03-24 user-profiles-2026-08-18 user-profiles-2026-09-04 advisor-tool-2026-03-01 ' +
    'managed-agents-2026-04-01 dreaming-2026-04-21 thinking-token-count-2026-05-13 server-side-fallback-2026-06-01 ' +
    'server-side-fallback-2026-07-01 fallback-credit-2026-06-01 fallback-credit-2026-07-01 agent-memory-2026-07-22 ' +
    'mid-conversation-tool-changes-2026-07-01 compact-2026-01-12 computer-use-2025-11-24 mcp-tunnels-2026-06-22 ' +
    'structured-outputs-2025-11-13 task-budgets-2026-03-13 thinking-display-updates-2026-08-18 ' +
    'mid-conversation-output-config-2026-07-01 thinking-binding-controls-2026-08-01 ' +
    'mid-conversation-system-clear-at-2026-08-21 compact-2026-09-04 inline-tools-2026-09-15 mcp-client-2026-09-15 ' +
    'ce-plugins-2026-09-01 spend-limit-reads-2026-09-26 telemetry-destinations-2026-08-11 webhooks-2026-10-07 ' +
    'admin-user-sign-out-2026-10-08 message-threads-2026-08-12 analytics-usage-cost-2026-08-24 ' +
    'experimental-claude-tag-2026-10-21 message-batches-2024-09-24 prompt-caching-2024-07-31 pdfs-2024-09-25 ' +
    'token-counting-2024-11-01 token-efficient-tools-2025-02-19 files-api-2025-04-14 extended-cache-ttl-2025-04-11 ' +
    'skills-2025-10-02 cache-diagnosis-2026-04-07 ce-user-management-2026-07-13 ' +
    'ce-claude-code-managed-settings-2026-10-06 efs-2026-10-01 google-managed-data-controls-2026-09-01 ' +
    'user-profiles-billing-2026-10-01 claude-code-20250219 effort-2025-11-24 fine-grained-tool-streaming-2025-05-14 ' +
    'oauth-2025-04-20 prompt-caching-scope-2026-01-05 advanced-tool-use-2025-11-20 web-search-2025-03-05 ' +
    'web-fetch-2025-09-10 code-execution-2025-08-25 messages-2023-12-15 ' +
    // Claude Code 2.1.77 to 2.1.280, and older examples of the documentation.
    'redact-thinking-2026-02-12 mid-conversation-system-2026-04-07 structured-outputs-2025-12-15 ' +
    'tool-search-tool-2025-10-19 prompt-caching-evict-2026-05-12 thinking-resumption-2026-07-17 afk-mode-2026-01-31 ' +
    'context-hint-2026-04-09 mcp-servers-2025-12-04 environments-2025-11-01 ccr-byoc-2025-07-29 ' +
    'per-turn-control-2026-07-01 timing-2026-09-09 auto-mode-classifier-2026-07-16 dangerous-tool-use-2026-09-03 ' +
    'token-efficient-tools-2026-03-28 summarize-connector-text-2026-03-13 max-tokens-3-5-sonnet-2024-07-15 ' +
    'tools-2024-04-04 tools-2024-05-16'
  ).split(' '),
}

/** What Claude Code sends to the platforms of others. */
const CLAUDE_CODE_ELSEWHERE =
  'claude-code-20250219 structured-outputs-2025-12-15 effort-2025-11-24 tool-search-tool-2025-10-19 afk-mode-2026-01-31 ' +
  'dangerous-tool-use-2026-09-03 fallback-credit-2026-06-01 mid-conversation-system-2026-04-07 ' +
  'thinking-token-count-2026-05-13 thinking-binding-controls-2026-08-01'

export const VERTEX_BETAS: ValidationList = {
  list: 'anthropic-beta-vertex',
  version: 'Claude on Vertex AI',
  date: '2026-11-27',
  values: (
    'interleaved-thinking-2025-05-14 computer-use-2025-01-24 computer-use-2025-11-24 context-1m-2025-08-07 ' +
    `context-management-2025-06-27 compact-2026-01-12 web-search-2025-03-05 ${CLAUDE_CODE_ELSEWHERE}`
  ).split(' '),
}

export const BEDROCK_BETAS: ValidationList = {
  list: 'anthropic-beta-bedrock',
  version: 'Claude on Amazon Bedrock',
  date: '2026-11-27',
  values: (
    'interleaved-thinking-2025-05-14 computer-use-2024-10-22 computer-use-2025-01-24 computer-use-2025-11-24 ' +
    'context-1m-2025-08-07 context-management-2025-06-27 compact-2026-01-12 token-efficient-tools-2025-02-19 ' +
    'tool-examples-2025-10-29 fine-grained-tool-streaming-2025-05-14 output-128k-2025-02-19 ' +
    `dev-full-thinking-2025-05-14 web-search-2025-03-05 ${CLAUDE_CODE_ELSEWHERE}`
  ).split(' '),
}
