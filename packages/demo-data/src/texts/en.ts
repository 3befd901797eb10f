import type { Phrases } from './phrases.ts';

export const EN: Phrases = {
  themes: {
    management: {
      positive: [
        'My manager listens and follows up on what we agreed.',
        'Leadership explains decisions well, even the hard ones.',
        'I get honest feedback from my lead every week.',
      ],
      neutral: ['My manager changed in spring, so it is too early to judge.'],
      negative: [
        'Decisions are made above our heads and nobody explains why.',
        'My manager cancels every other one-to-one.',
        'Leadership talks about priorities but changes them each month.',
      ],
    },
    pay: {
      positive: [
        'The bonus this year was fair and came on time.',
        'I feel that my salary matches what I do.',
        'The pension contribution is better than anywhere I worked before.',
      ],
      neutral: ['Pay is about the same as in other companies around here.'],
      negative: [
        'New colleagues earn more than people who have been here for years.',
        'The raise did not even cover the higher rent.',
        'Overtime is paid late, and the payslip is hard to understand.',
      ],
    },
    workload: {
      positive: [
        'The new shift plan gives us time to breathe.',
        'The workload is finally manageable since we are complete again.',
        'I can finish my tasks without working in the evening.',
      ],
      neutral: ['Some weeks are quiet and some are full.'],
      negative: [
        'We are two people short and everything lands on the same desks.',
        'Deadlines are set without asking who has to meet them.',
        'I have not taken a proper lunch break in weeks.',
      ],
    },
    team: {
      positive: [
        'My team is the reason why I stay.',
        'People help each other here without being asked.',
        'New colleagues are welcomed and shown around.',
      ],
      neutral: ['We mostly work on our own, which is fine with me.'],
      negative: [
        'The day shift and the night shift hardly talk to each other.',
        'There are two camps in the team and it poisons the mood.',
        'When something goes wrong, the first question is whose fault it was.',
      ],
    },
    tools: {
      positive: [
        'The new scanners save us an hour a day.',
        'My laptop was replaced quickly and everything worked.',
        'The ticket system is simple and fast.',
      ],
      neutral: ['The software does its job, no more and no less.'],
      negative: [
        'The system freezes several times a day and nobody fixes it.',
        'We still type the same numbers into three programs.',
        'There are not enough forklifts in the morning.',
      ],
    },
    growth: {
      positive: [
        'I was allowed to take the welding course I asked for.',
        'There is a clear path to the next level.',
        'The mentoring programme has taught me a lot.',
      ],
      neutral: ['I have not looked into the training catalogue yet.'],
      negative: [
        'There is no budget for training, year after year.',
        'I have done the same job for six years and see no next step.',
        'Promotions go to those who shout the loudest.',
      ],
    },
    communication: {
      positive: [
        'The weekly update is short and says what matters.',
        'We heard about the reorganisation early and from the right people.',
        'The town halls leave room for real questions.',
      ],
      neutral: ['I read the newsletter now and then.'],
      negative: [
        'We learn from customers what our own company has announced.',
        'Important news drowns in a flood of e-mails.',
        'Nobody told us why the project was stopped.',
      ],
    },
    flexibility: {
      positive: [
        'Working from home two days a week makes family life possible.',
        'Swapping shifts is easy and nobody complains.',
        'I could reduce my hours after parental leave without a fight.',
      ],
      neutral: ['Home office does not apply to my job.'],
      negative: [
        'Home office depends on the mood of the manager.',
        'Holiday requests are answered two weeks before the date.',
        'The core hours are impossible with a small child.',
      ],
    },
  },
  endings: ['Thank you for asking.', 'I hope somebody reads this.', 'Otherwise I am content.', 'Please keep it up.'],
  mentions: [
    '{name} in particular does a great job.',
    'I wrote to {email} about it and got no answer.',
    'I asked {name} to call me back on {phone}, without success.',
  ],
};
