/** A page with text in many scripts, to test whether UTF-8 is preserved. */

const SAMPLES: readonly (readonly [language: string, script: string, text: string])[] = [
  ['de', 'German', 'Grüße aus Köln: süße Äpfel, große Öfen, heiße Straßen'],
  ['fr', 'French', 'Où est le garçon ? Là-bas, près du cœur de la forêt'],
  ['pl', 'Polish', 'Żółte źdźbła rosną wśród gęstych łąk'],
  ['cs', 'Czech', 'Příliš dlouhý řetězec háčků a čárek'],
  ['is', 'Icelandic', 'Þórður ætlar að synda yfir ána'],
  ['tr', 'Turkish', 'İstanbul’da ılık bir yağmur, çiçekli ağaçlar'],
  ['vi', 'Vietnamese', 'Tiếng Việt có nhiều dấu thanh'],
  ['el', 'Greek', 'Η θάλασσα είναι ήρεμη σήμερα το πρωί'],
  ['ru', 'Russian', 'Съешь ещё этих мягких булок с ежевикой'],
  ['uk', 'Ukrainian', 'Ґанок, їжак і щаслива зграя птахів'],
  ['he', 'Hebrew', 'שלום לכל הקוראים בדף הזה'],
  ['ar', 'Arabic', 'أهلا وسهلا بكم في هذه الصفحة'],
  ['hi', 'Hindi (Devanagari)', 'नमस्ते, आज मौसम बहुत अच्छा है'],
  ['zh', 'Chinese', '今天天气很好,我们去公园散步吧'],
  ['ja', 'Japanese', '東京の空は青い。ひらがなとカタカナも読めますか'],
  ['ko', 'Korean', '안녕하세요, 오늘은 날씨가 좋습니다'],
  ['th', 'Thai', 'สวัสดี วันนี้อากาศดีมาก'],
  ['en', 'Mathematics', '∀x ∈ ℝ: ∑ xᵢ² ≥ 0, ∫₀^∞ e⁻ˣ dx = 1, √2 ≠ ⅔, α ∧ β ⊢ γ'],
  ['en', 'Symbols', '€ £ ¥ ₹ © ® ™ § ¶ † ‡ • … ‰ ← ↑ → ↓ ♠ ♥ ♦ ♣ ☀ ☂ ✓ ✗'],
  ['en', 'Box drawing', '┌─┬─┐ │ │ │ ├─┼─┤ └─┴─┘ ░▒▓█'],
  ['en', 'Emoji (four bytes each, and joined)', '😀 🚀 🌍 🎉 🦊 👩‍💻 👨‍👩‍👧 🇪🇺 👍🏽'],
]

function row([language, script, text]: (typeof SAMPLES)[number]): string {
  const direction = language === 'he' || language === 'ar' ? ' dir="rtl"' : ''
  return `<tr><th>${script}</th><td lang="${language}"${direction}>${text}</td></tr>`
}

export const UTF8_PAGE = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>UTF-8 sample</title>
</head>
<body>
<h1>UTF-8 sample</h1>
<p>Every line must be readable; a question mark or a box in its place means that bytes were lost on the way.</p>
<table>
${SAMPLES.map(row).join('\n')}
</table>
</body>
</html>
`
