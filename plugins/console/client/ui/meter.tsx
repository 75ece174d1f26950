/** A meter: a bar and a text. */

export interface MeterProps {
  label: string
  value: number
  /** Null: no maximum, so no bar is shown. */
  max: number | null
  /** Text next to the label, such as `41 of 10,000`. */
  text: string
  /** A full bar is good, such as for a remaining amount. */
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
