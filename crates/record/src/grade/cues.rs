//! Cues by which a text says that it does not stand by something: plans, doubts, guesses, what was cleared or tried in vain.

use std::ops::Range;
use std::sync::LazyLock;

use super::table::Table;
use super::words::{WordList, Words, word_list};

/// What follows these in the sentence is not asserted.
pub(super) static OPENING: LazyLock<Cues> = LazyLock::new(|| {
    Cues::of(
        "speaks against | speak against | argues against | argue against | evidence against | not believe | dont \
         believe | doubt | doubts | cannot exclude | cant exclude | not exclude | cannot confirm | cant confirm | \
         not confirmed | in case | assuming | suppose | supposing | feeling | suspicion | suspicions | unless | \
         next step | next steps | to do | todo | remains to | to check | should check | will check | looked like | \
         seemed like | seemed to be | appeared to be | mistook | wrongly | hypothesis | candidates | suspects | \
         possible | could have been | might be | nobody | no one | nothing can | nothing could | none can | nothing \
         indicates | far from | as a precaution | before the next | worried | fear | afraid | risk of | danger of | \
         threatens to | warned | prevent | prevents | avoid | avoids | protects from | would | proof of | proof for \
         | hint of | hints of | trace of | traces of | theory | tempting to blame | not because of | not due to | \
         nothing to do with | to look for | am looking for | are looking for | was looking for | were looking for | been looking for | searched for | search for | checked for | \
         alert says | page says | alert claims | claims that | allegedly | reportedly | look at | look into | \
         looking at | looking into | let me | let us | going to | bet on | my money | had to guess | cannot be | \
         cant be | could not be | couldnt be | not seeing | see no | saw no | found no | shows no | show no | about to | used to have | used to be | provided that | provided the | \
         as long as | given that | reminder | who turned | at no point | think of | thinking of | so much for | i will | we will | tomorrow | next week | once had | once was | smelled like | felt like | sounded like | possibility | need to verify | need to \
         check | have to check | must check | to verify | i suggest | we suggest | id suggest | i recommend | we recommend | recommend | i propose | worth checking | can someone | could someone | can anyone | could \
         anyone | did anyone | has anyone | would have been",
    )
});

/// What stands before these in the same thought is not asserted.
pub(super) static CLOSING: LazyLock<Cues> = LazyLock::new(|| {
    Cues::of(
        "afterwards | tried against | was tried | were tried | crossed off | struck off | discounted | dismissed | discarded | eliminated | excluded | ruled out | \
         cleared | exonerated | out of the question | off the table | off the list | off the hook | unlikely | \
         impossible | improbable | implausible | far fetched | first idea | first thought | first guess | first \
         suspicion | first suspect | first assumption | plausible | tempting | wrong track | wrong lead | false \
         lead | wrong tree | red herring | dead end | false alarm | artefact | artifact | coincidence | not \
         verified | unverified | unconfirmed | not confirmed | unproven | no proof | no evidence | hard to tell | \
         hard to say | not sure | not certain | nothing changed | nothing improved | not help | didnt help | helped \
         nothing | no difference | no effect | any effect | changed nothing | no change | nothing happened | same \
         errors | no improvement | in vain | not matter | doesnt matter | doesnt apply | not apply | turned out to \
         be | proved to be | not it | not the constraint | not the bottleneck | was not it | wasnt it | not be the \
         | cannot be the | cant be the | as a precaution | to be safe | just in case | in place | works as | keeps \
         up | kept up | up to date | as designed | as intended | what it always was | what it was | as it was | \
         same as | same value as | long way from | way below | well below | well above | well under | far under | \
         has headroom | no issue | no problem | no trouble | no errors | without trouble | without problems | \
         looked guilty | looks guilty | looked suspicious | looks suspicious | looked odd | looked bad | was \
         suspected | were suspected | was blamed | were blamed | was accused | had nothing to do | has nothing to \
         do | have nothing to do | does not explain | doesnt explain | not explain | cannot explain | cant explain \
         | not fit the | doesnt fit the | on the contrary | the right | the correct | correctly | properly | as \
         expected | only a symptom | just a symptom | merely a symptom | is a symptom | was a symptom | is a \
         consequence | was a consequence | side effect | collateral | just noise | beyond suspicion | not to blame \
         | not guilty | harmless | within limits | within range | usual range | normal range | expected range | in \
         sync | in good shape | no anomalies | at baseline | acquitted | as planned | as scheduled | on schedule | \
         like before | days to go | months to go | leave aside | makes no sense | found nothing | find nothing | \
         nothing found | came up empty | went well | 50 50 | fifty fifty | so nothing can | so there is no | not \
         related | is unrelated | was unrelated | not changed | not touched | unchanged | untouched | hasnt changed \
         | not been changed | not been touched | more than we | more than enough | than we ever | than needed | \
         never reached | never hit | still has its | at its default | has its default | at its usual | has its \
         usual | theory | hypothesis | there are none | there is none | found none | saw none | none found | none were \
         found | not altered | not modified | not moved | never changed | never touched | never altered | always been \
         | was always | were always | for years | is zero | are zero | was zero | were zero | not what happened | by \
         design | is warm | warm again | warm by now | could wish | all it needs | what it needs | everything through | 50 \
         and 50 | 50 to 50 | evenly | equally | times what | where it belongs | under a second | below a second | \
         until i saw | until we saw | until i looked | until we looked | until i checked | until we checked | until we \
         raised | until we fixed | prime suspect | main suspect | disproved | refuted | debunked | falsified | \
         contradicted | not convincing | not supported | long gone | long over | behind us | not in this | not this \
         time | last time | last incident | previous incident | earlier incident | both in order | are in order | is in order | be in order | was over | is over | had ended | has ended | was finished | stands still | stood still | not move | not moving | in response | as a mitigation | as mitigation | mitigation attempt | as a workaround | to shed load | to mitigate \
         | to relieve | is the default | the default and",
    )
});

/// As a short sentence of their own these take back the one before.
pub(super) static TAKING_BACK: LazyLock<Cues> = LazyLock::new(|| {
    Cues::of(
        "not verified | unverified | unconfirmed | not confirmed | wrong track | wrong tree | dead end | red \
         herring | false alarm | shows none | show none | is none | are none | found none | no proof | no evidence \
         | what it always was | is constant | was constant | is flat | was flat | stayed flat | no sign | not it | \
         not the case | no match | is wrong | was wrong | not so | does not hold | did not hold | not true | untrue \
         | disproved | refuted | only a guess | just a guess | a guess | not sure | please check | needs checking | \
         to be checked | to be confirmed | to be verified | have not checked | not checked | nothing there | \
         nothing of the kind | it checks out | that checks out | all good | it is fine | that is fine | they are \
         fine | it looks fine | that looks fine | it is healthy | they are healthy | not what happened | not happened | didnt happen | was always | were always \
         | always been | is up | are up | far above | far below | well above | well below | i checked and | we checked \
         and | does not do | doesnt do | nothing to do with | unrelated | not today | cleared it | cleared them | ruled it out | ruled them out | disproved it | says no | say no | said no \
         | says otherwise | say otherwise",
    )
});

/// What was said before these is withdrawn.
pub(super) static RETRACTING: LazyLock<Cues> = LazyLock::new(|| {
    Cues::of(
        "no wait | wait no | scratch that | correction | on second thought | on second thoughts | never mind | i was wrong | \
         we were wrong | that was wrong | i take that back | not quite | actually no",
    )
});

/// Wherever these stand in a sentence, it is a conjecture.
pub(super) static GUESSES: LazyLock<Cues> = LazyLock::new(|| {
    Cues::of(
        "speculation | speculative | guess | guesswork | guessing | hunch | conjecture | unconfirmed | unverified | \
         unproven | not verified | to be confirmed | to be verified | needs investigation | needs checking | not \
         checked | havent checked | cannot say | cant say | no proof | dont know | do not know | no idea | hard to \
         tell | hard to say | not sure | uncertain | perhaps | maybe | possibly | cannot check | cant check | \
         cannot verify | could not verify | cannot see it | remains unclear | gut feeling | comes to mind | come to \
         mind | one of these | any of these | take your pick | pure theory | not been ruled out | not ruled out | \
         not excluded | cannot be excluded | cant be excluded | cannot be ruled out | cant be ruled out | not rule \
         out | cannot rule out | cant rule out | imagine | imaginable | a chance | one possibility | one \
         explanation | explanation among | among several | my gut | a shred | for all i know | had to bet | any of them | any of those | would fit | could fit | who knows | anyones guess | no evidence at all | in theory \
         | in principle | hypothetically | could in theory",
    )
});

/// What would have ended a fault.
static UNDOING: WordList = word_list!(
    "renewed took turned switched restarted started replaced removed cleared closed fixed reverted restored brought put told updated     noticed cleaned ended set rotated freed released returned vacuumed analysed analyzed"
);

/// Phrases, found by their first word.
pub(super) struct Cues(Table<Vec<Vec<&'static str>>>);

impl Cues {
    fn of(list: &'static str) -> Cues {
        let mut cues = Table::default();
        for cue in list.split('|').map(|cue| cue.split_whitespace().collect::<Vec<_>>()) {
            cues.entry(cue[0], Vec::new).push(cue);
        }
        Cues(cues)
    }

    /// Whether one of them lies in a stretch of words.
    pub fn lie_in(&self, words: &Words, stretch: Range<usize>) -> bool {
        let stands = |at: usize, cue: &[&str]| {
            let is_turned = at > 0 && matches!(words.raw(at - 1), "never" | "not") || is_undone(words, at);
            !is_turned
                && at + cue.len() <= stretch.end
                && cue.iter().enumerate().all(|(on, word)| words.raw(at + on) == *word)
        };
        stretch.clone().any(|at| self.0.get(words.raw(at)).is_some_and(|cues| cues.iter().any(|cue| stands(at, cue))))
    }
}

/// `nobody renewed it`: what is not undone is still so.
fn is_undone(words: &Words, at: usize) -> bool {
    let is_aside = at > 0 && matches!(words.raw(at - 1), "that" | "which" | "whom");
    matches!(words.raw(at), "nobody" | "no") && is_aside
        || matches!(words.raw(at), "nobody" | "no") && (at + 1..at + 4).any(|word| UNDOING.contains(words.raw(word)))
}
