import type { StarterWords } from './starter-words.ts';

export const EN: StarterWords = {
  management: {
    name: 'Management',
    keywords: `manager, managers, management, line manager, middle management, boss, bosses, supervisor, supervisors, team lead, team leader, superior, superiors,
      reporting manager, micromanagement, micromanage, micromanaging, micromanager, one-on-one, one to one, 1:1, head of department, foreman, shift leader, managerial, my lead`,
  },
  leadership: {
    name: 'Leadership and strategy',
    keywords: `leadership, leaders, executives, executive team, senior management, top management, upper management, higher management, board, CEO, C-suite, directors, director,
      strategy, strategic, vision, direction of the company, company direction, roadmap, priorities, long-term goals, mission, founders, restructuring, reorganisation, reorganization`,
  },
  pay: {
    name: 'Pay and benefits',
    keywords: `pay, paid, underpaid, salary, wage, wages, compensation, compensated, remuneration, bonus, bonuses, raise, raises, pay rise, increment, increments,
      hike, appraisal, appraisals, benefits, perks, allowance, allowances, pension, retirement plan, health insurance, medical insurance, 401k, stock options, incentive, incentives,
      overtime pay, commission, payscale, payroll, low paying, money, reimbursement, transport facility, cab facility`,
  },
  workload: {
    name: 'Workload and stress',
    keywords: `workload, workloads, overloaded, overload, overworked, overworking, understaffed, short-staffed, staffing, headcount, overtime, deadline, deadlines, pressure, work pressure,
      stress, stressed, stressful, too much work, too many tasks, amount of work, long hours, long working hours, hectic, pace, target pressure, unrealistic targets, capacity,
      not enough people, not enough staff, busy, extra hours, peak times, backlog`,
  },
  communication: {
    name: 'Communication',
    keywords: `communication, communications, communicate, communicates, communicated, communicating, information, informed, inform, transparency, transparent, updates, announcement,
      announcements, newsletter, intranet, town hall, town halls, all-hands, information flow, listen, listens, listening, listened, feedback culture, open door, kept in the dark,
      in the loop, meetings, meeting, e-mails, emails, dialogue, our opinion, being heard, suggestions`,
  },
  career: {
    name: 'Career and growth',
    keywords: `career, careers, career path, career growth, career development, promotion, promotions, promoted, promote, growth, grow, growing, growth opportunities, advancement,
      opportunities, opportunity, progression, job rotation, internal mobility, internal move, succession, next step, next role, career opportunities, dead end, stagnation, stagnant,
      development plan, perspective, onsite opportunity, higher position`,
  },
  learning: {
    name: 'Learning and training',
    keywords: `training, trainings, trained, trainer, learn, learning, learnt, course, courses, workshop, workshops, coaching, coach, mentor, mentoring, mentorship, skills, skill, upskilling,
      knowledge, certification, certifications, seminar, seminars, onboarding, induction, e-learning, education, further education, conference, conferences, personal development`,
  },
  team: {
    name: 'Team and colleagues',
    keywords: `team, teams, teammates, team mates, teamwork, team spirit, colleague, colleagues, coworker, coworkers, co-worker, co-workers, peers, collaboration, collaborate,
      collaborating, cooperation, cooperate, cooperative, helpful people, supportive people, friendly people, people I work with, working together, help each other, support each other,
      team building, team bonding, camaraderie, staff members, silos, cross-functional`,
  },
  tools: {
    name: 'Tools and equipment',
    keywords: `tools, tool, tooling, equipment, software, hardware, laptop, laptops, computer, computers, systems, IT, IT support, helpdesk, technology, technologies, technical equipment,
      machines, machinery, devices, printer, printers, VPN, internet, licences, licenses, application, applications, outdated systems, monitor, monitors, phone system, wifi,
      work clothes, tech stack, automation`,
  },
  culture: {
    name: 'Culture and values',
    keywords: `culture, cultural, work culture, company culture, values, atmosphere, working atmosphere, work environment, working environment, office politics, politics, toxic, gossip,
      trust, respect, respectful, respected, disrespect, disrespectful, integrity, ethics, ethical, honesty, mindset, blame, blame culture, hierarchy, hierarchical, openness, morale, spirit,
      bullying, family-like, speak up`,
  },
  fairness: {
    name: 'Fairness and diversity',
    keywords: `fair, fairness, unfair, unfairly, equal, equality, equally, equal treatment, equal opportunities, diversity, diverse, inclusion, inclusive, discrimination, discriminate,
      discriminated, favoritism, favouritism, favourites, favorites, nepotism, bias, biased, gender, women, sexism, racism, harassment, minorities, partiality, injustice, unequal, gender pay gap,
      disability, age discrimination`,
  },
  health: {
    name: 'Health and balance',
    keywords: `health, healthy, wellbeing, well-being, wellness, mental health, burnout, burn-out, burned out, burnt out, exhausted, exhausting, exhaustion, work-life balance,
      worklife balance, work life, private life, personal life, family life, time for family, balance, sick leave, sick, ergonomic, ergonomics, sleep, occupational health, tired, breaks,
      switch off, recovery, gym, fitness`,
  },
  flexibility: {
    name: 'Flexibility and working time',
    keywords: `flexible, flexibility, flexitime, flextime, flexible hours, working hours, work hours, working time, shift, shifts, shift work, night shift, night shifts, rotational shift, roster,
      schedule, schedules, scheduling, rota, remote, remotely, remote work, home office, work from home, working from home, WFH, hybrid, hybrid work, part-time, four-day week, holidays, holiday,
      vacation, leave policy, annual leave, days off, time off, weekend work, parental leave, timings`,
  },
  recognition: {
    name: 'Recognition',
    keywords: `recognition, recognise, recognize, recognised, recognized, recognizes, appreciation, appreciate, appreciated, appreciates, valued, praise, praised, thank you, thanks, thanked,
      acknowledged, acknowledge, acknowledgement, credit, reward, rewards, rewarded, awards, award, undervalued, unappreciated, taken for granted, gratitude, esteem, achievements, noticed`,
  },
  workplace: {
    name: 'Workplace and facilities',
    keywords: `office, offices, workplace, workspace, desk, desks, open-plan, open plan office, noise, noisy, canteen, cafeteria, kitchen, food, coffee, parking, car park, air conditioning,
      heating, temperature, building, facilities, facility, meeting rooms, meeting room, toilets, restrooms, infrastructure, location, commute, commuting, furniture, chairs, cleanliness,
      lighting, break room, changing rooms, safety, hygiene`,
  },
  work: {
    name: 'Tasks and responsibility',
    keywords: `my tasks, my work, my role, job content, interesting work, meaningful, meaningful work, purpose, challenging, challenge, challenges, varied, variety, variety of tasks, boring,
      monotonous, repetitive, autonomy, autonomous, independence, independently, responsibility, responsibilities, ownership, decision-making, empowered, empowerment, projects, project,
      interesting projects, job profile, creative, creativity, job satisfaction, nature of work, quality of work, tasks`,
  },
  security: {
    name: 'Job security',
    keywords: `job security, job safety, secure job, safe job, security of employment, insecurity, job insecurity, layoff, layoffs, laid off, lay-offs, redundancy, redundancies, job cuts, downsizing,
      dismissal, dismissals, fired, firing, firings, hire and fire, fixed-term, temporary contract, temporary contracts, permanent contract, permanent position, stability, stable,
      turnover, attrition, bench policy, outsourcing, offshoring, uncertainty, job loss, contract renewal`,
  },
  processes: {
    name: 'Processes',
    keywords: `process, processes, procedure, procedures, bureaucracy, bureaucratic, red tape, organised, organized, disorganised, disorganized, structure, structures,
      workflow, workflows, planning, efficiency, efficient, inefficient, inefficiency, paperwork, approvals, approval, policies, policy, rules, coordination, decisions take, decision process,
      administration, documentation, chaos, chaotic, interfaces between departments, departments, responsibilities are unclear`,
  },
};
