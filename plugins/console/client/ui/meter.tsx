/** How full something is, as a bar and in words. */

export interface MeterProps {
  label: string
  value: number
  /** Null: there is no bound, and no bar. */
  max: number | null
  /** Said beside the label, such as `41 of 10,000`. */
  text: string
  /** A bar that is better full than empty, such as what is left. */
  isFullGood?: boolean
}

export function Meter({ label, value, max, text, isFullGood }: MeterProps) {
  const share = max === null || max === 0 ? 0 : Math.min(value / max, 1)
  const level = isFullGood ? 1 - share : share
  return (
    <div class="meter">
      <span class="meter-label">{label}</span>
      <span class="meter-text">{text}</span>
      {max !== null && (
        <span
          class="meter-track"
          role="meter"
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={max}
          aria-valuenow={Math.min(value, max)}
          aria-valuetext={text}
        >
          <span
            class={`meter-fill ${level > 0.9 ? 'bad' : level > 0.7 ? 'warn' : ''}`}
            style={{ width: `${share * 100}%` }}
          />
        </span>
      )}
    </div>
  )
}
